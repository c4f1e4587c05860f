"""The messages that a purge of a queue would take, counted beforehand. The purge itself is an operation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.sql import sql


@dataclass(frozen=True, slots=True)
class StateCount:
    """Messages of a queue in one state, and the ages of the oldest and the newest; None: nobody knows them.

    ``revived``: for so many of them a REVIVED dead letter waits. ``expired``: so many are still marked as in
    flight, and their lease has run out.
    """

    status: str
    number: int
    oldest_seconds: float | None
    newest_seconds: float | None
    revived: int
    expired: int


def last_message() -> int:
    """Return the newest message on any queue: later ones have a higher number."""
    return int(fetch_column(sql("purging.last"), {})[0])


def standing(queue: str, last: int) -> Sequence[StateCount]:
    """Count the queue's messages up to that one, by state, one by one."""
    return [StateCount(**row) for row in fetch_dicts(sql("purging.standing"), {"queue": queue, "last": last})]


def kept_until(queue: str) -> datetime | None:
    """Return until when the queue keeps a message archived now; None where it archives nothing."""
    rows = fetch_column(sql("purging.kept_until"), {"queue": queue})
    return rows[0] if rows else None
