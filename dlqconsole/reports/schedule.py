"""The daily report's schedule: compute the open days once a day, also those of a missed run.

The run itself reads the marks of the days: a worker that was down, a run that failed and a late event each
leave an open day. Nothing else has to be remembered.
"""

import logging
from datetime import datetime

from django.conf import settings

from dlqconsole.configuration.time_of_day import TimeOfDay
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.hosting.database import transaction
from dlqconsole.reports.sql import sql
from dlqconsole.runs import service
from dlqconsole.runs.errors import RunRefused

log = logging.getLogger(__name__)

ACTOR = "schedule"
REASON = "The daily report (DLQ_REPORT_AT)."
FOLDED_AT_ONCE = 50_000
# a tick leaves further rounds to the next
MOST_ROUNDS = 20


def tick() -> int | None:
    """Fold the marks, and request the daily run when it is time; return its number."""
    fold()
    return request_when_due()


def fold() -> int:
    """Add up the marks of the writers; return their number, or 0 where another session does it."""
    total = 0
    for _round in range(MOST_ROUNDS):
        with transaction.atomic():
            if not fetch_column(sql("daily.lock"), {})[0]:
                return total
            [number] = fetch_column(sql("daily.fold"), {"limit": FOLDED_AT_ONCE})
        total += number
        if number < FOLDED_AT_ONCE:
            break
    return total


def request_when_due() -> int | None:
    """Request a run for the open days, if it is time and there are some; return its number."""
    at = TimeOfDay.parse(settings.DLQ_REPORT_AT)
    if at is None or not _is_due(at.last_before(_now())):
        return None
    try:
        return service.ask("report", {"which": "open"}, ACTOR, reason=REASON)
    except RunRefused as refusal:
        log.info("the daily report waits: %s", refusal)
        return None


def _is_due(since: datetime) -> bool:
    if not fetch_column(sql("daily.is_due"), {"since": since, "actor": ACTOR})[0]:
        return False
    return bool(fetch_column(sql("daily.anything_open"), {})[0])


def _now() -> datetime:
    [now] = fetch_column(sql("daily.now"), {})
    return now  # type: ignore[no-any-return]
