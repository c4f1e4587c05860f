"""Several consumers side by side, one process each: handlers share no interpreter and no time limit."""

import logging
import mmap
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from struct import Struct
from types import TracebackType

from django.db import connections

from dlqconsole.core import handling

log = logging.getLogger(__name__)

# A consumer that dies at once is not started over and over.
RESTART_SECONDS = 1.0
LOOK_SECONDS = 0.2

_MOMENT = Struct("=d")


class Deadlines:
    """The latest end of the handler in each of ``size`` processes, in memory that a fork shares."""

    def __init__(self, size: int) -> None:
        self._memory = mmap.mmap(-1, size * _MOMENT.size)

    def watch(self, number: int) -> "Watch":
        """Return the watch of the process of this number, in which nothing runs yet."""
        watch = Watch(self._memory, number * _MOMENT.size)
        watch.end()
        return watch

    def overdue(self, number: int) -> bool:
        """Tell whether the handler there should have ended."""
        moment: float = _MOMENT.unpack_from(self._memory, number * _MOMENT.size)[0]
        return 0.0 < moment < time.monotonic()

    def runs(self, number: int) -> bool:
        """Tell whether a handler runs there, or its process has ended in one."""
        moment: float = _MOMENT.unpack_from(self._memory, number * _MOMENT.size)[0]
        return moment > 0.0


@dataclass(frozen=True, slots=True)
class Watch:
    """A block in which a handler runs. It sets the deadline."""

    memory: mmap.mmap
    place: int

    def __enter__(self) -> None:
        _MOMENT.pack_into(self.memory, self.place, time.monotonic() + handling.longest_seconds())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None or issubclass(kind, Exception):  # else the process ends, by its handler's will
            self.end()

    def end(self) -> None:
        """Note that nothing runs any more."""
        _MOMENT.pack_into(self.memory, self.place, 0.0)


class ConsumerPool:
    """Runs ``work`` in ``size`` processes until ``stop()``; a process that was killed is replaced.

    Each is given the watch in which it runs handlers in its own process: one whose time is over is killed.
    ``work`` must end by itself after SIGTERM, within ``patience`` seconds, and when ``is_orphaned()``: then
    nobody is left to tell it.
    """

    def __init__(self, work: Callable[[Watch], None], size: int, patience: float = 60.0) -> None:
        self._work = work
        self._patience = patience
        self._context = multiprocessing.get_context("fork")
        self._processes: list[BaseProcess] = []
        self._size = size
        self._deadlines = Deadlines(size)
        self._stopping = False
        self.replaced = 0

    def stop(self) -> None:
        """Ask every process to finish (a signal handler may call this)."""
        self._stopping = True

    def run(self) -> int:
        """Keep the pool complete until stopped, or until all have ended. Return the worst exit status."""
        connections.close_all()  # a connection does not survive a fork
        self._processes = [self._start(number) for number in range(self._size)]
        while not self._stopping and any(process.is_alive() for process in self._processes):
            time.sleep(LOOK_SECONDS)
            self._kill_the_overdue()
            self._replace_the_dead()
        for process in self._processes:
            process.terminate()
        self._await_ends()
        for process in self._processes:
            process.kill()  # nothing to one that has ended
            process.join()
        return max((abs(process.exitcode or 0) for process in self._processes), default=0)

    def _await_ends(self) -> None:
        until = time.monotonic() + self._patience
        while time.monotonic() < until and any(process.is_alive() for process in self._processes):
            time.sleep(LOOK_SECONDS / 4)
            self._kill_the_overdue()

    def _kill_the_overdue(self) -> None:
        for number, process in enumerate(self._processes):
            if self._deadlines.overdue(number) and process.is_alive():
                log.warning("killed consumer process %s: its handler did not stop in time", process.pid)
                process.kill()
                process.join()

    def _replace_the_dead(self) -> None:
        for number, process in enumerate(self._processes):
            if self._stopping or process.is_alive() or self._ended_by_itself(number):
                continue
            log.warning("consumer process %s ended (%s), starting another", process.pid, process.exitcode)
            time.sleep(RESTART_SECONDS)
            self.replaced += 1
            self._processes[number] = self._start(number)

    def _ended_by_itself(self, number: int) -> bool:
        """Tell whether the process ended by itself. A handler may end it, too, even with status 0."""
        return self._processes[number].exitcode == 0 and not self._deadlines.runs(number)

    def _start(self, number: int) -> BaseProcess:
        process = self._context.Process(target=self._run_child, args=(self._deadlines.watch(number),))
        process.start()
        return process

    def _run_child(self, watch: Watch) -> None:
        # the parent's handlers speak of the parent's processes
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent says when
        self._work(watch)


def is_orphaned(parent: int) -> bool:
    """Tell whether the process that started this one is gone."""
    return os.getppid() != parent
