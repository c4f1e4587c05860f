"""Several consumers side by side, one process each: handlers share no interpreter and no time limit."""

import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess

from django.db import connections

from dlqconsole.consuming.watchdog import Deadlines, Watch

log = logging.getLogger(__name__)

# A consumer that dies at once is not started over and over.
RESTART_SECONDS = 1.0
LOOK_SECONDS = 0.2


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
