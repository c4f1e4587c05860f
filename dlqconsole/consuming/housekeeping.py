"""Chores that every consumer does for all. There is no master: doing one twice changes nothing."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from django.db import ProgrammingError

from dlqconsole.core import messages
from dlqconsole.core.handling import registry
from dlqconsole.core.messages import ClaimResult, archives
from dlqconsole.core.messages.ticks import PeriodicSender
from dlqconsole.core.named_sql import execute, fetch_column
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.sql import sql
from dlqconsole.transports import lost

log = logging.getLogger(__name__)

STAGE_SECONDS = 1.0
CALL_HANDLED_SECONDS = 1.0
FOLD_SECONDS = 1.0
CALL_SECONDS = 5.0
TICK_SECONDS = 1.0
TIDY_SECONDS = 600.0

EVERY_SECONDS = 5.0
_COLUMNS = {
    "completed": ClaimResult.COMPLETED,
    "retried": ClaimResult.LATER,
    "dead_lettered": ClaimResult.DEAD,
    "lost": ClaimResult.LOST,
}


class Housekeeping:
    """Makes due messages claimable, calls forgotten groups, folds counts, clears away what
    is old, and sends the messages of periodic handlers.

    Revived dead letters whose messages are nowhere return to where they were.
    """

    def __init__(self, queues: Sequence[str]) -> None:
        self._queues = tuple(queues)
        self._ticker = PeriodicSender()
        self._due: dict[Callable[[], object], float] = {}

    def keep(self) -> None:
        """Do what has come due."""
        self._every(STAGE_SECONDS, messages.stage)
        self._every(CALL_HANDLED_SECONDS, self._call_handled)
        self._every(FOLD_SECONDS, rollups.fold)
        self._every(CALL_SECONDS, self.unblock_forgotten)
        self._every(lost.EVERY_SECONDS, lost.settle)
        self._every(TICK_SECONDS, self._ticker.send_due)
        self._every(TIDY_SECONDS, self._tidy)

    def unblock_forgotten(self) -> int:
        """Call the heads of groups that nobody called. Return their number."""
        return sum(messages.unblock_forgotten(queue) for queue in self._queues)

    def _call_handled(self) -> None:
        """Call messages that others put back without a handler and that this process can handle."""
        messages.call_handled(self._queues, registry().event_types)

    def _every(self, seconds: float, chore: Callable[[], object]) -> None:
        """Do a chore at most that often, and for at most a twentieth of the time."""
        start = time.monotonic()
        if start >= self._due.get(chore, 0.0):
            chore()
            self._due[chore] = start + max(seconds, (time.monotonic() - start) * 20)

    def _tidy(self) -> None:
        execute(sql("wakeups.forget"), {})
        execute(sql("queues.forget_activity"), {})
        execute(sql("breakers.forget"), {})
        rollups.tidy()
        try:
            archives.keep()
        except ProgrammingError as error:
            # Making and dropping partitions needs the tables' owner. Without it archived messages stand in
            # the default partition, and are deleted there.
            log.warning("the archive's partitions were not kept: %s", str(error).splitlines()[0])


class Activity:
    """The counts of one consumer. If it is killed, counts that it has not written are lost; no event is."""

    def __init__(self) -> None:
        self._written: dict[str, Counter[ClaimResult]] = {}
        self._due = time.monotonic() + EVERY_SECONDS

    def write(self, totals: Mapping[str, Counter[ClaimResult]], *, now: bool = False) -> None:
        """Add the new part of each queue's totals to the database's minute, if it is time to."""
        if not now and time.monotonic() < self._due:
            return
        self._due = time.monotonic() + EVERY_SECONDS
        new = {queue: total - self._written.get(queue, Counter()) for queue, total in totals.items()}
        queues = sorted(queue for queue, counts in new.items() if counts)
        if queues:
            values: dict[str, object] = {"queues": queues}
            for column, claim_result in _COLUMNS.items():
                values[column] = [new[queue][claim_result] for queue in queues]
            fetch_column(sql("queues.add_activity"), values)
        self._written = {queue: Counter(total) for queue, total in totals.items()}
