"""The daily report by itself: what is open is computed once a day, and what was missed is made up for.

Which days those are is asked of their marks, when the run works: a worker that was down, a run that failed or
an event that came late all leave an open day, and nothing else has to be remembered.
"""

import logging
from datetime import datetime

from django.conf import settings
from django.db import transaction

from dlqconsole.configuration.time_of_day import TimeOfDay
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.reports.sql import sql
from dlqconsole.runs import service
from dlqconsole.runs.errors import RunRefused

log = logging.getLogger(__name__)

ACTOR = "schedule"
REASON = "The daily report (DLQ_REPORT_AT)."
FOLDED_AT_ONCE = 50_000
# a tick leaves what is more to the next
MOST_ROUNDS = 20


def tick() -> int | None:
    """Fold the marks, and ask for the daily run when it is time; its number."""
    fold()
    return ask_when_due()


def fold() -> int:
    """Add up what writers noted; how many marks. 0 where another session does."""
    moved = 0
    for _round in range(MOST_ROUNDS):
        with transaction.atomic():
            if not fetch_column(sql("daily.lock"), {})[0]:
                return moved
            [number] = fetch_column(sql("daily.fold"), {"limit": FOLDED_AT_ONCE})
        moved += number
        if number < FOLDED_AT_ONCE:
            break
    return moved


def ask_when_due() -> int | None:
    """Ask for a run of what is open, if it is time and there is something; its number."""
    at = TimeOfDay.parse(settings.DLQ_REPORT_AT)
    if at is None or not _is_due(at.last_before(_now())):
        return None
    try:
        return service.ask("report", {"which": "open"}, ACTOR, reason=REASON)
    except RunRefused as refused:
        log.info("the daily report waits: %s", refused)
        return None


def _is_due(since: datetime) -> bool:
    if not fetch_column(sql("daily.is_due"), {"since": since, "actor": ACTOR})[0]:
        return False
    return bool(fetch_column(sql("daily.anything_open"), {})[0])


def _now() -> datetime:
    [now] = fetch_column(sql("daily.now"), {})
    return now  # type: ignore[no-any-return]
