"""The event types that running processes can handle.

A web process, a worker and a consumer may be started with different DLQ_HANDLERS. So each that runs handlers
says every few seconds what it has, and who wants to know asks here before it looks at its own.
"""

import json
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from dlqconsole.core.handling import registry
from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.core.owners import owner_name
from dlqconsole.engine.database.memoized import memoized
from dlqconsole.engine.database.presence import PresenceThread
from dlqconsole.engine.sql import sql
from dlqconsole.processing.errors import SetupError

# ``SQL``: a program that claims by queue_claim()
WORKER, CONSUMER, CELERY, SQL = "worker", "consumer", "celery", "sql"
EVERY_SECONDS = 10.0
# a handler may take its time, and meanwhile nothing is said
SILENT_SECONDS = 120.0
FORGET_SECONDS = 600.0
# beyond these a fleet is not told one by one
MOST_REPORTS, MOST_TYPES = 1_000, 2_000

# by queue and event type: how many messages were put back
type Unhandled = Mapping[str, Mapping[str, int]]

WORK, TICKS, PIPELINE = "dlqconsole", "ticks", "pipeline"


@dataclass(frozen=True, slots=True)
class ProcessStatus:
    """The last status of a running process. ``queues``: a consumer's, or Celery's; none of a worker."""

    worker: str
    role: str
    queues: tuple[str, ...]
    event_types: frozenset[str]
    unhandled: Unhandled
    seen_at: datetime
    rehearsable: frozenset[str] = frozenset()

    @property
    def is_consumer(self) -> bool:
        """Tell whether it consumes its queues: ours, or a program in SQL, which has no handlers to name."""
        return self.role in (CONSUMER, SQL)

    def handles(self, event_type: str) -> bool:
        """Tell whether it takes messages of the type off its queues."""
        return self.role == SQL or event_type in self.event_types


@dataclass(frozen=True, slots=True)
class HandlerSet:
    """The event types that can be retried. ``workers`` say so; none: it is what this process has itself.

    ``rehearsable``: of these the ones whose handlers say that they can be rehearsed.
    """

    event_types: frozenset[str]
    workers: int
    seen_at: datetime | None = None
    rehearsable: frozenset[str] = frozenset()


class ProcessHeartbeat:
    """One process's heartbeat. Losing it in a crash costs nothing: it is forgotten."""

    def __init__(self, role: str, queues: Collection[str] = ()) -> None:
        self._role, self._queues = role, list(queues)
        self._worker = owner_name()
        self._due = 0.0

    def is_due(self) -> bool:
        """Tell whether it is time for the next heartbeat."""
        return time.monotonic() >= self._due

    def beat(self, waiting: Unhandled | None = None) -> None:
        """Write the heartbeat. Raises HandlerSetupError."""
        values = {
            "worker": self._worker,
            "role": self._role,
            "queues": self._queues,
            "event_types": list(registry().event_types[:MOST_TYPES]),
            "rehearsable": sorted(registry().rehearsable)[:MOST_TYPES],
            "unhandled": json.dumps(waiting or {}),
            "forget": FORGET_SECONDS,
        }
        execute(sql("known_handlers.report"), values)
        self._due = time.monotonic() + EVERY_SECONDS

    def withdraw(self, waiting: Unhandled | None = None) -> None:
        """Note that the process runs no more. Its messages without a handler count for two minutes more."""
        values = {"worker": self._worker, "unhandled": json.dumps(waiting or {})}
        execute(sql("known_handlers.withdraw"), values)


# a worker's children are forked, and each speaks for itself
_of_this_process: dict[int, ProcessHeartbeat] = {}


def beat_of_worker() -> None:
    """Write a worker's heartbeat between two pieces of work. Wrong handlers are reported elsewhere."""
    reporter = _of_this_process.setdefault(os.getpid(), ProcessHeartbeat(WORKER))
    try:
        if reporter.is_due():
            reporter.beat()
    except SetupError:
        return


def presence_of_celery(queues: Collection[str]) -> PresenceThread:
    """Return the presence of a Celery worker's first process: it serves these queues, however busy."""
    values = {
        "worker": owner_name(),
        "role": CELERY,
        "queues": sorted(queues),
        # its processes say by themselves what they have handlers for
        "event_types": [],
        "rehearsable": [],
        "unhandled": "{}",
        "forget": FORGET_SECONDS,
    }
    return PresenceThread("worker", sql("known_handlers.report"), sql("known_handlers.withdraw"), values)


def serving(queue: str = "") -> list[ProcessStatus]:
    """Return the Celery workers, or those of this queue, that were heard of in the last two minutes."""
    return [report for report in live() if report.role == CELERY and (not queue or queue in report.queues)]


@memoized
def live() -> list[ProcessStatus]:
    """Return every process that was heard of in the last two minutes; a program in SQL in the last ten."""
    values = {"silent": SILENT_SECONDS, "silent_sql": FORGET_SECONDS, "most": MOST_REPORTS}
    return [
        ProcessStatus(
            row["worker"],
            row["role"],
            tuple(row["queues"]),
            frozenset(row["event_types"]),
            json.loads(row["unhandled"]),
            row["seen_at"],
            frozenset(row["rehearsable"]),
        )
        for row in fetch_dicts(sql("known_handlers.live"), values)
    ]


def sql_consumers() -> dict[str, tuple[str, ...]]:
    """Return the programs that consume by SQL, by queue."""
    by_queue: dict[str, tuple[str, ...]] = {}
    for report in live():
        if report.role == SQL:
            for queue in report.queues:
                by_queue[queue] = (*by_queue.get(queue, ()), report.worker)
    return by_queue


def of_workers() -> frozenset[str]:
    """Return the event types that the running workers have handlers for, all together."""
    return frozenset().union(*(report.event_types for report in live() if report.role == WORKER))


def for_retries() -> HandlerSet | None:
    """Return the types that retries can handle: by the running workers, or else by this process.

    None: no worker has been heard of, and this process's own DLQ_HANDLERS are wrong.
    """
    workers = [report for report in live() if report.role == WORKER]
    if workers:
        types: frozenset[str] = frozenset().union(*(report.event_types for report in workers))
        rehearsable: frozenset[str] = frozenset().union(*(report.rehearsable for report in workers))
        return HandlerSet(types, len(workers), max(report.seen_at for report in workers), rehearsable)
    try:
        return HandlerSet(frozenset(registry().event_types), 0, rehearsable=registry().rehearsable)
    except SetupError:
        return None
