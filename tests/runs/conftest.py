"""Runs that are asked for, and a starter of them in a thread or a process."""

import os
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from dlqconsole.runs import service, starting
from dlqconsole.runs.models import PipelineRun
from tests.accounts import person
from tests.operations.processes import environment_here


@pytest.fixture
def folder(settings, tmp_path):
    """A folder that is open to the console."""
    found = tmp_path / "incoming"
    found.mkdir()
    settings.DLQ_INGEST_FOLDERS = (str(found),)
    return found


@pytest.fixture
def ask(folder) -> Callable[..., PipelineRun]:
    """ask() asks for an ingest of the folder."""

    def asked(**arguments: str) -> PipelineRun:
        given = {"source": str(folder), **arguments}
        return PipelineRun.objects.get(pk=service.ask("ingest", given, person("ann")))

    return asked


@pytest.fixture
def here(monkeypatch, tmp_path):
    """What a starter in this process gives its processes: the test's database, and folders of its own."""
    for name, value in environment_here().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DLQ_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(starting, "LOOK_SECONDS", 0.1)


@pytest.fixture
def living(monkeypatch):
    """living("deaf") lets a run's process be one that only lives."""

    def of_moods(*moods: str) -> None:
        monkeypatch.setattr(
            starting,
            "command_line",
            lambda run: [sys.executable, "-m", "tests.runs.a_process", str(run["id"]), *moods],
        )

    of_moods()
    return of_moods


@pytest.fixture
def starter(here) -> Iterator[Callable[[], threading.Thread]]:
    """starter() starts what waits, in a thread."""
    threads = []

    def start() -> threading.Thread:
        threads.append(threading.Thread(target=_start))
        threads[-1].start()
        return threads[-1]

    yield start
    PipelineRun.objects.update(status="cancelling")
    for thread in threads:
        thread.join(30)


def _start() -> None:
    try:
        starting.start_waiting()
    finally:
        connection.close()


def dead(pid: int) -> bool:
    """Whether a process is gone."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
