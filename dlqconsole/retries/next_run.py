"""Whose turn it is: the database's clock decides, so that a second beat or a skewed one changes nothing."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.retries import policies
from dlqconsole.retries.sql import sql

LOCK = "dlq-retry"
LOCK_AT_MOST_SECONDS = 30.0
# A run that nobody has been heard of for so long has died: the lock it held has run out by then.
SILENT_SECONDS = LOCK_AT_MOST_SECONDS


@dataclass(frozen=True, slots=True)
class NextRun:
    """When the next run may begin; how many seconds late that is, and how many turns nobody took before.

    ``is_asked_for``: a person wants it.
    """

    next_at: datetime
    is_due: bool
    late: float
    missed: int
    is_asked_for: bool = False


def next_run() -> NextRun:
    """The next turn of the schedule, whether or not it is switched on; it also comes when a window opens."""
    every = settings.DLQ_RETRY_FIXED_RATE / 1000
    found = fetch_dicts(sql("runs.schedule"), {"every": every, "silence": SILENT_SECONDS})[0]
    next_at, now = found["next_at"], found["now"]
    opens = policies.current().opens_after(found["since"]) if found["since"] else None
    if opens is not None and opens < next_at:
        next_at = opens
    late = max((now - next_at).total_seconds(), 0.0)
    return NextRun(next_at, next_at <= now, late, int(late // every), found["is_asked_for"])


def is_due() -> bool:
    """Whether a scheduled run may begin now."""
    return bool(settings.DLQ_RETRY_ENABLED and next_run().is_due)


def next_run_at() -> datetime | None:
    """When the next scheduled run may begin (the past: at the next tick); None when the schedule is off."""
    return next_run().next_at if settings.DLQ_RETRY_ENABLED else None
