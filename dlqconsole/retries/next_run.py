"""The next run's time: the database's clock decides, so that a second or a skewed beat changes nothing."""

import logging
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from dlqconsole import waking
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine import audit
from dlqconsole.hosting.database import transaction
from dlqconsole.retries import policies
from dlqconsole.retries.models import RunRequest
from dlqconsole.retries.sql import sql

LOCK = "dlq-retry"
LOCK_AT_MOST_SECONDS = 30.0
# A run without news for so long has died: its lock has expired by then.
SILENT_SECONDS = LOCK_AT_MOST_SECONDS

log = logging.getLogger(__name__)

# each tick reads the newest request; the others were served long ago
KEPT = 100


@dataclass(frozen=True, slots=True)
class NextRun:
    """The next run: its earliest moment, the seconds that it is late, and the number of missed turns.

    ``is_asked_for``: a person has requested it.
    """

    next_at: datetime
    is_due: bool
    late: float
    missed: int
    is_asked_for: bool = False


def next_run() -> NextRun:
    """The next turn of the schedule, on or off; one also comes when a window opens."""
    every = settings.DLQ_RETRY_FIXED_RATE / 1000
    row = fetch_dicts(sql("runs.schedule"), {"every": every, "silence": SILENT_SECONDS})[0]
    next_at, now = row["next_at"], row["now"]
    opens = policies.current().opens_after(row["since"]) if row["since"] else None
    if opens is not None and opens < next_at:
        next_at = opens
    late = max((now - next_at).total_seconds(), 0.0)
    return NextRun(next_at, next_at <= now, late, int(late // every), row["is_asked_for"])


def is_due() -> bool:
    """Tell whether a scheduled run may begin now."""
    return bool(settings.DLQ_RETRY_ENABLED and next_run().is_due)


def next_run_at() -> datetime | None:
    """The moment when the next scheduled run may begin (past: at once); None: the schedule is off."""
    return next_run().next_at if settings.DLQ_RETRY_ENABLED else None


def request_run(*, actor: str, reason: str) -> RunRequest:
    """Request a run, audited. It begins within seconds if a worker runs."""
    with transaction.atomic():
        request = RunRequest.objects.create(asked_by=actor, reason=reason)
        RunRequest.objects.filter(pk__lte=request.pk - KEPT).delete()
        audit.record(actor, "run now", "schedule", reason=reason)
    return request


def wake() -> None:
    """Wake a worker at once. A broker that is away costs one tick, never an error."""
    try:
        waking.wake("retries.retry_due")
    except Exception as error:
        # kombu, redis, psycopg and the operating system each have their own words for "not there"
        log.warning("a run that was asked for waits for the next tick, the broker is away: %s", error)
