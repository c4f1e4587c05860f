"""The workers of one database, and what they did in how much time."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.system.processes import die_with, end_session

from .peers import limit
from .server import TEMPLATE, Server, environment
from .sizes import Size
from .stock import Stock
from .timing import Counted


class Worker:
    """One process; it lives until its crew is dismissed."""

    def __init__(self, system: str, url: str) -> None:
        parent = os.getpid()
        self.system = system
        self.child = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.worker", system],
            cwd=CHECKOUT,
            env=environment(url),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: die_with(parent, signal.SIGKILL),
        )

    def begin(self, do: str, **options: Any) -> None:
        """Tell it what to do."""
        assert self.child.stdin is not None
        self.child.stdin.write(json.dumps({"do": do, **options}) + "\n")
        self.child.stdin.flush()

    def answer(self) -> Any:
        """What came of it, when it is done."""
        assert self.child.stdout is not None
        line = self.child.stdout.readline()
        if not line:
            raise RuntimeError(f"A worker of {self.system} broke: see what it wrote above this line.")
        return json.loads(line)

    def end(self) -> None:
        """Kill it: there is nothing to save."""
        end_session(self.child.pid)
        self.child.wait()
        self.child.stdin.close()
        self.child.stdout.close()


class Crew:
    """Workers of every system on one database, started when they are first needed."""

    def __init__(self, server: Server, database: str, size: Size, template: str = TEMPLATE) -> None:
        self.server = server
        self.database = database
        self.url = server.database(database, template)
        self.size = size
        self.stock = Stock(self.url)
        self._workers: dict[str, list[Worker]] = {}

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in [worker for workers in self._workers.values() for worker in workers]:
            worker.end()
        self.stock.close()
        self.server.drop(self.database)

    def workers(self, system: str, number: int) -> list[Worker]:
        """That many workers of a system, ready to begin."""
        there = self._workers.setdefault(system, [])
        fresh = [Worker(system, self.url) for _ in range(number - len(there))]
        there += fresh
        for worker in fresh:
            worker.answer()
        return there[:number]

    def ask(self, system: str, do: str, **options: Any) -> Any:
        """What one worker of a system answers."""
        [worker] = self.workers(system, 1)
        worker.begin(do, **options)
        return worker.answer()

    def rate(self, system: str, do: str, number: int = 1, **options: Any) -> float:
        """Messages a second that so many workers do together."""
        timed = {"seconds": self.size.seconds, "warm": self.size.warm} | options
        if system == "limit":
            return limit.rate(self, do, number, **timed)
        workers = self.workers(system, number)
        for worker in workers:
            worker.begin(do, **timed)
        return together([worker.answer() for worker in workers])

    def drain(self, system: str, number: int, batch: int) -> float:
        """Messages a second from claim to completion, of a queue that is filled for it."""
        self.stock.clear(system)
        self.stock.fill(system, self.size.fill(system, batch))
        if system == "consumer":
            return self.rate("ours", "consume", number, batch=batch)
        return self.rate(system, "drain", number, batch=batch)

    def send(self, system: str, batch: int) -> float:
        """Messages a second that one producer sends to an empty queue."""
        self.stock.clear(system)
        return self.rate(system, "send", batch=batch)


def together(counted: Sequence[Counted]) -> float:
    """All that was done, over the time from the first's begin to the last's end."""
    elapsed = max(one["ended"] for one in counted) - min(one["begun"] for one in counted)
    return sum(one["done"] for one in counted) / elapsed
