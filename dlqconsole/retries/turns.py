"""Whose turn it is: the database's clock decides, so that a second beat or a skewed one changes nothing."""

from datetime import datetime
from typing import Any

from django.conf import settings

from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.retries.sql import sql

# A run that has not been heard of for so long has died: the lock it held has run out by then.
LOCK_AT_MOST_SECONDS = 30.0


def is_due() -> bool:
    """Whether a scheduled run may begin now."""
    return bool(settings.DLQ_RETRY_ENABLED and _schedule()["is_due"])


def next_run_at() -> datetime | None:
    """When the next scheduled run may begin (the past: at the next tick); None when the schedule is off."""
    if not settings.DLQ_RETRY_ENABLED:
        return None
    next_at: datetime = _schedule()["next_at"]
    return next_at


def _schedule() -> dict[str, Any]:
    values = {"every": settings.DLQ_RETRY_FIXED_RATE / 1000, "silence": LOCK_AT_MOST_SECONDS}
    return fetch_dicts(sql("runs.schedule"), values)[0]
