"""Several consumers side by side, one process each: handlers share no interpreter and no time limit."""

import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess

from django.db import connections

log = logging.getLogger(__name__)

# A consumer that dies at once is not started over and over.
RESTART_SECONDS = 1.0
LOOK_SECONDS = 0.2


class Crew:
    """Runs ``work`` in ``size`` processes until ``stop()``; a process that was killed is replaced.

    ``work`` must end by itself after SIGTERM, within ``patience`` seconds, and when ``orphaned()`` says that
    nobody is left to tell it.
    """

    def __init__(self, work: Callable[[], None], size: int, patience: float = 60.0) -> None:
        self._work = work
        self._patience = patience
        self._context = multiprocessing.get_context("fork")
        self._processes: list[BaseProcess] = []
        self._size = size
        self._stopping = False
        self.replaced = 0

    def stop(self) -> None:
        """Ask every process to finish (a signal handler may call this)."""
        self._stopping = True

    def run(self) -> int:
        """Keep the crew complete until stopped, or until all have ended; the worst exit status."""
        connections.close_all()  # a connection does not survive a fork
        self._processes = [self._start() for _ in range(self._size)]
        while not self._stopping and any(process.is_alive() for process in self._processes):
            time.sleep(LOOK_SECONDS)
            self._replace_the_dead()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(timeout=self._patience)
            process.kill()  # nothing to one that has ended
            process.join()
        return max((abs(process.exitcode or 0) for process in self._processes), default=0)

    def _replace_the_dead(self) -> None:
        for number, process in enumerate(self._processes):
            if self._stopping or process.is_alive() or process.exitcode == 0:
                continue
            log.warning("consumer process %s ended (%s), starting another", process.pid, process.exitcode)
            time.sleep(RESTART_SECONDS)
            self.replaced += 1
            self._processes[number] = self._start()

    def _start(self) -> BaseProcess:
        process = self._context.Process(target=self._run_child)
        process.start()
        return process

    def _run_child(self) -> None:
        # the parent's handlers speak of the parent's processes
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent says when
        self._work()


def orphaned(parent: int) -> bool:
    """Whether the process that started this one has gone."""
    return os.getppid() != parent
