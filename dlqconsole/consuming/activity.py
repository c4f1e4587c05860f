"""Consumers' activity on each queue by the minute: added up in memory, written every few seconds."""

import time
from collections import Counter
from collections.abc import Mapping

from dlqconsole.core.messages import ClaimResult
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine.sql import sql

EVERY_SECONDS = 5.0
_COLUMNS = {
    "completed": ClaimResult.COMPLETED,
    "retried": ClaimResult.LATER,
    "dead_lettered": ClaimResult.DEAD,
    "lost": ClaimResult.LOST,
}


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
