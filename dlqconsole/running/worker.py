"""A worker that needs no broker: the beat's ticks and PostgreSQL's notices, on threads of one process.

It runs the tasks of Celery that the beat would send, by the same table, in the same queues.
"""

import heapq
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from queue import SimpleQueue

import psycopg
from django.db import close_old_connections

from dlqconsole.celery import app
from dlqconsole.engine.database import sessions
from dlqconsole.engine.known_handlers import PIPELINE, TICKS, WORK
from dlqconsole.system.processes import wait_for
from dlqconsole.waking import CHANNEL, WakeNotice

log = logging.getLogger(__name__)

QUEUES = (WORK, TICKS, PIPELINE)
THREADS = 2
# the longest time without a look at a stop signal
LOOK_SECONDS = 0.5
# what runs of the pipeline have to end in good order, and a little more
GRACE_SECONDS = 12.0
log = logging.getLogger(__name__)

# a task's name, and its arguments
type Work = tuple[str, tuple[int, ...]]


class Worker:
    """The lanes, and what is due when."""

    def __init__(self) -> None:
        app.loader.import_default_modules()
        self._lanes = {name: Lane(name, THREADS, 1 if name == TICKS else THREADS, _do) for name in QUEUES}
        self._order = count()
        self._due: list[tuple[float, int, Work, float]] = []
        self._listener: psycopg.Connection[tuple[object, ...]] | None = None

    def run(self, is_told_to_stop: Callable[[], bool]) -> None:
        """Work until somebody wants it to stop; then wait a moment for what is under way."""
        for tick in app.conf.beat_schedule.values():
            self._plan((tick["task"], ()), 0.0, tick["schedule"])
        while not is_told_to_stop():
            self._offer_due()
            for notice in self._notices(self._seconds_to_wait()):
                self._plan((notice.task, tuple(notice.arguments)), notice.after)
        for lane in self._lanes.values():
            lane.close()
        wait_for(lambda: not any(lane.is_busy() for lane in self._lanes.values()), GRACE_SECONDS)

    def _plan(self, work: Work, after: float, every: float = 0.0) -> None:
        heapq.heappush(self._due, (time.monotonic() + after, next(self._order), work, every))

    def _offer_due(self) -> None:
        while self._due and self._due[0][0] <= time.monotonic():
            _, _, work, every = heapq.heappop(self._due)
            self._lanes[_queue_of(work[0])].offer(work)
            if every:
                self._plan(work, every, every)

    def _seconds_to_wait(self) -> float:
        return min(max(self._due[0][0] - time.monotonic(), 0.0), LOOK_SECONDS)

    def _notices(self, seconds: float) -> Iterator[WakeNotice]:
        """Yield the wake-ups of so many seconds. Without the database there are none, and the ticks go on."""
        try:
            for notification in self._listen().notifies(timeout=seconds, stop_after=1):
                if notice := WakeNotice.read(notification.payload):
                    yield notice
        except psycopg.Error as error:
            log.warning("no wake-ups, only ticks, while the database is away: %s", error)
            self._listener = None
            time.sleep(seconds)

    def _listen(self) -> "psycopg.Connection[tuple[object, ...]]":
        if self._listener is None:
            self._listener = sessions.own_connection(connect_timeout=5)
            self._listener.execute(f"LISTEN {CHANNEL}")
        return self._listener


def _do(work: Work) -> None:
    task, arguments = work
    app.tasks[task](*arguments)


def _queue_of(task: str) -> str:
    return str(app.conf.task_routes.get(task, {"queue": WORK})["queue"])


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
