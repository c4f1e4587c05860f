"""A worker that needs no broker: the beat's ticks and PostgreSQL's notices, on threads of one process.

It runs the tasks of Celery that the beat would send, by the same table, in the same queues.
"""

import heapq
import logging
import time
from collections.abc import Callable, Iterator
from itertools import count

import psycopg

from dlqconsole.celery import app
from dlqconsole.engine.database import sessions
from dlqconsole.engine.known_handlers import PIPELINE, TICKS, WORK
from dlqconsole.running.lanes import Lane, Work
from dlqconsole.system.processes import wait_for
from dlqconsole.waking import CHANNEL, Notice

log = logging.getLogger(__name__)

QUEUES = (WORK, TICKS, PIPELINE)
THREADS = 2
# the longest time without a look at a stop signal
LOOK_SECONDS = 0.5
# what runs of the pipeline have to end in good order, and a little more
GRACE_SECONDS = 12.0


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

    def _notices(self, seconds: float) -> Iterator[Notice]:
        """Yield the wake-ups of so many seconds. Without the database there are none, and the ticks go on."""
        try:
            for notification in self._listen().notifies(timeout=seconds, stop_after=1):
                if notice := Notice.read(notification.payload):
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
