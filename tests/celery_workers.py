"""Real Celery workers on a test's database and broker: import the fixture into a conftest or a module."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings

from dlqconsole.celery import configuration
from dlqconsole.engine.known_handlers import PIPELINE, TICKS, WORK
from tests.operations.processes import environment_here
from tests.starting import Popen

SETTINGS = {"DLQ_OPERATION_PAGE": "10", "DLQ_LEASE_SECONDS": "3"}
# what is written to the broker, by its name there
KEYS = {name: f"{configuration.broker_transport_options['global_keyprefix']}{name}"
    for name in (WORK, TICKS, PIPELINE, "unacked", "unacked_index")}  # fmt: skip


def lose_all_wakeups() -> None:
    """As a flushed broker does; the rest of somebody's Redis is not ours to empty."""
    redis.from_url(settings.REDIS_URL).delete(*KEYS.values())


@pytest.fixture
def celery(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """celery("-B", DLQ_X="1") starts a worker with a beat in it; all are stopped at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*options: str, **environment: str) -> subprocess.Popen[bytes]:
        beat = f"--schedule={tmp_path}/beat" if "-B" in options else "--loglevel=INFO"
        process = Popen(
            [sys.executable, "-m", "celery", "-A", "dlqconsole.celery", "worker", "-c", "2", beat, *options],
            env=os.environ | environment_here() | SETTINGS | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
