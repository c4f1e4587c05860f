"""The threads that do the work of one queue, as a Celery worker's processes would."""

import logging
import threading
from collections import Counter
from collections.abc import Callable
from queue import SimpleQueue

from django.db import close_old_connections

log = logging.getLogger(__name__)

# a task's name, and its arguments
type Work = tuple[str, tuple[int, ...]]


class Lane:
    """A queue and its threads. They last as long as the process: what a thread has started dies with it.

    ``at_once``: how often the same work may run at the same time.
    """

    def __init__(self, name: str, threads: int, at_once: int, do: Callable[[Work], object]) -> None:
        self._do, self._at_once = do, at_once
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._waiting: set[Work] = set()
        self._running: Counter[Work] = Counter()
        self._threads = [
            threading.Thread(target=self._serve, name=f"{name} {number}", daemon=True)
            for number in range(1, threads + 1)
        ]
        for thread in self._threads:
            thread.start()

    def offer(self, work: Work) -> None:
        """Queue some work, unless it waits already or runs often enough: a later tick brings it again."""
        with self._lock:
            if work in self._waiting or self._running[work] >= self._at_once:
                return
            self._waiting.add(work)
        self._queue.put(work)

    def close(self) -> None:
        """Take nothing more from now on."""
        for _thread in self._threads:
            self._queue.put(None)

    def is_busy(self) -> bool:
        """Tell whether a thread is at work."""
        return any(thread.is_alive() for thread in self._threads)

    def _serve(self) -> None:
        while (work := self._queue.get()) is not None:
            with self._lock:
                self._waiting.discard(work)
                self._running[work] += 1
            try:
                close_old_connections()
                self._do(work)
            except Exception:
                log.exception("%s failed: a later tick tries again", work[0])
            finally:
                with self._lock:
                    self._running[work] -= 1
