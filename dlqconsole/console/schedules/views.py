"""The schedule: the lock, the runs, what is due, the next run, and why the rest is not retried."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.parts.durations import duration
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.engine import known_handlers
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.database import locks
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.lifecycle.states import Category, DeadLetterStatus
from dlqconsole.engine.reach import ALL, Reach
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.models import RetryRun
from dlqconsole.retries.turns import LOCK, next_run_at
from dlqconsole.retries.why import WhyNot, why_not_counts

SHOWN_TYPES = 20


@viewer_required
@require_safe
def schedules(request: HttpRequest) -> HttpResponse:
    """What the schedule does and will do."""
    reach = reach_of(request)
    reasons = _why_not(reach)
    context = {
        "lock": _lock(),
        "policy": _policy(),
        "handlers": _handlers(reach),
        # a run is about all that was due
        "runs": [] if reach.is_limited else RetryRun.objects.order_by("-started_at")[:25],
        "due": sum(reason.count for reason in reasons if reason.code == "DUE"),
        "next_run": _next_run(),
        "why_not": [_reason(reason) for reason in reasons if reason.code != "DUE"],
    }
    return page(request, "console/schedules/schedules.html", context, part="")


def _next_run() -> datetime | str:
    at = next_run_at()
    if at is None:
        return "none"
    return at if at > database_now() else "now"


def _why_not(reach: Reach) -> list[WhyNot]:
    try:
        with summaries.time_budget(4 * summaries.BUDGET):
            return why_not_counts(reach)
    except summaries.TooSlow:
        return []


def _reason(reason: WhyNot) -> dict[str, Any]:
    """One line of the table; the list can show those that are a status or a category."""
    if reason.code == "CAME_BACK":
        return _line(reason, {"came_back": come_backs.most(), "status": "PENDING"})
    name = "status" if reason.code in DeadLetterStatus.values else "category"
    known = reason.code in (*DeadLetterStatus.values, *Category.values)
    filters = {name: reason.code} | ({"status": "PENDING"} if name == "category" else {})
    return _line(reason, filters if known else {})


def _line(reason: WhyNot, filters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "reason": reason.why,
        "count": reason.count,
        "earliest": reason.earliest,
        "url": list_url(urlencode(filters)) if filters else "",
    }


def _lock() -> dict[str, Any]:
    found = locks.holder(LOCK)
    if found is None:
        return {"name": LOCK, "held": False, "holder": "", "locked_at": None, "lock_until": None}
    return {
        "name": LOCK,
        "held": found.held,
        "holder": found.locked_by,
        "locked_at": found.locked_at,
        "lock_until": found.until,
    }


def _handlers(reach: Reach) -> dict[str, Any]:
    """The event types that runs have handlers for, and who says so."""
    known = known_handlers.for_retries()
    if known is None:
        return {
            "types": [],
            "more": 0,
            "said_by": "No worker has been heard of, and DLQ_HANDLERS is wrong here.",
        }
    types = _seen_types(known.event_types, reach)
    workers = "one worker" if known.workers == 1 else f"{known.workers:,} workers"
    said_by = (
        f"as {workers} last said" if known.workers else "no worker has been heard of: as the web has them"
    )
    return {"types": types[:SHOWN_TYPES], "more": max(len(types) - SHOWN_TYPES, 0), "said_by": said_by}


def _seen_types(handled: Collection[str], reach: Reach) -> list[str]:
    """Those that somebody sees wherever they occur, and those of the dead letters that they see."""
    if not reach.is_limited:
        return sorted(handled)
    met = set(summaries.event_types(reach))
    return sorted(name for name in handled if name in met or reach.sees(ALL, name))


def _policy() -> list[dict[str, Any]]:
    """The settings that decide, by the names of their environment variables."""
    seconds = duration(settings.DLQ_RETRY_FIXED_RATE / 1000)
    return [
        {"label": "Enabled (DLQ_RETRY_ENABLED)", "value": "yes" if settings.DLQ_RETRY_ENABLED else "no"},
        {"label": "Runs every (DLQ_RETRY_FIXED_RATE)", "value": seconds},
        {"label": "Most retries (DLQ_RETRY_MAX_RETRIES)", "value": settings.DLQ_RETRY_MAX_RETRIES},
        {"label": "Batch (DLQ_RETRY_BATCH_SIZE)", "value": settings.DLQ_RETRY_BATCH_SIZE},
        {"label": "One run drains at most for", "value": duration(settings.DLQ_RETRY_TIME_BUDGET)},
        {"label": "First wait after a failure", "value": duration(settings.DLQ_RETRY_BACKOFF_BASE)},
        {"label": "Longest wait", "value": duration(settings.DLQ_RETRY_BACKOFF_CAP)},
    ]
