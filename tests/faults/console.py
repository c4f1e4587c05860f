"""What works behind a world's console: a Valkey, and a Celery worker with its beat; to be killed at will."""

import os
import random
import secrets
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import redis

from dlqconsole.running.ports import free_port
from tests.faults.world import World
from tests.sizes import sized
from tests.waiting import eventually
from tools.valkey import Valkey


class Console:
    """``faults`` counts what was done to it, and to the sessions of everybody."""

    def __init__(self, world: World, draw: random.Random, **environment: str) -> None:
        self.world = world
        self.draw = draw
        self.faults: Counter[str] = Counter()
        self.workers: list[subprocess.Popen[bytes]] = []
        self._valkey = Valkey(
            world.folder / "valkey", free_port(), secrets.token_urlsafe(8), secrets.token_urlsafe(8)
        )
        self._valkey.prepare()
        self.broker = subprocess.Popen(self._valkey.command(), stdout=subprocess.DEVNULL)
        eventually(self._valkey.is_ready, 10)
        self.environment = {
            "REDIS_URL": self._valkey.url(),
            "DLQ_RETRY_ENABLED": "false",
            "DLQ_LEASE_SECONDS": "2",
            "DLQ_OPERATION_PAGE": str(sized(100, 500)),
            "DLQ_HANDLERS": "tests.faults.operation_handlers",
        } | environment

    def work(self, crash_point: str = "") -> None:
        """Start a worker; one that dies at a named place has its children die there, again and again."""
        schedule = self.world.folder / f"beat-{len(self.workers)}"
        command = ["celery", "-A", "dlqconsole.celery", "worker", "-c", "2", "-B", f"--schedule={schedule}"]
        self.workers.append(
            self.world.start(
                [sys.executable, "-m", *command],
                self.world.environment() | self.environment | {"DLQ_CRASH_POINT": crash_point},
                in_its_own_session=True,
            )
        )

    def kill_worker(self) -> None:
        """kill -9 for the worker, its children and its beat."""
        os.killpg(self.workers[-1].pid, signal.SIGKILL)
        self.workers[-1].wait()
        self.faults["worker killed (kill -9)"] += 1

    def tend(self) -> None:
        """Start another worker where one has ended by itself: whose children die at once, Celery gives up."""
        if self.workers[-1].poll() is not None:
            self.faults["worker gave up, and was followed"] += 1
            self.work()

    def kill_child(self) -> None:
        """kill -9 for one of the worker's processes; Celery starts another."""
        worker = self.workers[-1].pid
        with suppress(OSError, IndexError):  # it has none just now
            children = Path(f"/proc/{worker}/task/{worker}/children").read_text().split()
            os.kill(int(self.draw.choice(children)), signal.SIGKILL)
            self.faults["child of a worker killed (kill -9)"] += 1

    def flush(self) -> None:
        """Valkey forgets everything."""
        redis.from_url(self._valkey.admin_url()).flushall()
        self.faults["Valkey flushed"] += 1

    def end_sessions(self) -> None:
        """pg_terminate_backend for some sessions, whosever they are, but for those who write new failures."""
        number = self.draw.randint(1, 4)
        self.faults["session ended"] += self.world.terminate_backends(
            "pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND"
            " application_name <> 'failing program' AND pid <> pg_backend_pid()"
            f" AND backend_type = 'client backend' ORDER BY random() LIMIT {number})"
        )

    def died_at_crash_points(self) -> int:
        """How many children ended at a named place, by what their workers said of it."""
        said = "".join(self.world.said(worker) for worker in self.workers)
        return said.count("exited with 'signal 9") - self.faults["child of a worker killed (kill -9)"]

    def close(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                os.killpg(worker.pid, signal.SIGKILL)
                worker.wait()
        self.broker.kill()
        self.broker.wait()
