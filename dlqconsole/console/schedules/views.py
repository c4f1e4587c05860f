"""The schedule: due dead letters, policies, reasons for waiting, the lock, the runs."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from math import isinf
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dlqconsole.console.access.guard import UNLIMITED
from dlqconsole.console.access.permissions import VIEWERS, can_maintain, can_operate, viewer_required
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.console.schedules import breaker_views
from dlqconsole.console.schedules.panels import lock_panel, pace_rows, periodic_rows, run_rows
from dlqconsole.console.schedules.policy_rows import policy_rows
from dlqconsole.console.schedules.policy_views import WHY_NOT
from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.lifecycle.states import Category, DeadLetterStatus
from dlqconsole.engine import known_handlers
from dlqconsole.engine.access_scope import ALL, current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.moments import duration
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.retries import policies, run_records
from dlqconsole.retries.actions import Healers
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.next_run import next_run_at
from dlqconsole.retries.policies import Policies, PolicyScope
from dlqconsole.retries.run import seconds_until_runnable
from dlqconsole.retries.why import OFF, WhyNot, why_not_counts

SHOWN_TYPES = 20
HELD = gettext_lazy("when a breaker that is held is let go")
AFTER_THIS = gettext_lazy("after the one that goes on")


@viewer_required
@require_safe
def schedules(request: HttpRequest) -> HttpResponse:
    """The present and the next work of the schedule."""
    current = policies.read()
    context = {
        "lock": lock_panel(request),
        "handlers": _handlers(),
        "consumed": [name for name in Healers.now().queues if current_access().sees_queue(name)],
        "runs": run_rows(),
        "next_run": next_run(),
        "pace": pace_rows(),
        "periodic": periodic_rows(),
        **_figures(),
        **breaker_views.panel(request),
        **_policies(request, current),
    }
    return page(request, "console/schedules/schedules.html", context)


def _figures() -> dict[str, Any]:
    """The number of due ones, and the reasons why others wait; None if counting takes too long."""
    reasons = why_not()
    if reasons is None:
        return {"due": None, "why_not": None}
    return {
        "due": sum(reason.count for reason in reasons if reason.code in ("DUE", "REVIVE")),
        "why_not": [_reason(reason) for reason in reasons if reason.code != "DUE"],
    }


def _policies(request: HttpRequest, current: Policies) -> dict[str, Any]:
    everything = current.of_scope(PolicyScope())
    all_paused = everything.pause if everything.is_paused(current.now) else None
    return {
        "policies": policy_rows(current),
        "all_paused": all_paused,
        "actions": _actions(request, all_paused is not None),
        "may_change": can_maintain(request),
        "why_not_change": WHY_NOT,
        "every": duration(settings.DLQ_RETRY_FIXED_RATE / 1000),
        "time_budget": duration(settings.DLQ_RETRY_TIME_BUDGET),
    }


def _actions(request: HttpRequest, is_paused: bool) -> list[dict[str, str]]:
    """The buttons for all retries, and for some; each with the reason if it is disabled."""
    may_not = why_not = "" if can_operate(request) else VIEWERS
    if not why_not and current_access().is_limited:
        why_not = UNLIMITED.format(scope=current_access().words())
    off = "" if settings.DLQ_RETRY_ENABLED else OFF
    pause, resume = reverse("dlq:schedule_pause"), reverse("dlq:schedule_resume")
    every = (resume, _("Resume all"), "retrying") if is_paused else (pause, _("Pause all"), "pause")
    buttons = [
        (reverse("dlq:schedule_run"), _("Run now"), "schedules", why_not or off),
        (f"{pause}?choose=yes", _("Pause a type"), "pause", may_not),
        (*every, why_not),
    ]
    names = ("url", "label", "icon", "why_not")
    return [dict(zip(names, button, strict=True)) for button in buttons]


def next_run() -> datetime | str:
    at, now = next_run_at(), database_now()
    if at is None:
        return _("none")
    if run_records.open_run() is not None:
        return str(AFTER_THIS)
    if at > now:
        return at
    handlers = known_handlers.for_retries()
    seconds = seconds_until_runnable(handlers.event_types) if handlers else None
    if seconds is None:
        return _("now")
    return str(HELD) if isinf(seconds) else now + timedelta(seconds=seconds)


def why_not() -> list[WhyNot] | None:
    try:
        with summaries.time_budget(4 * summaries.BUDGET):
            return why_not_counts()
    except summaries.TooSlow:
        return None


def _reason(reason: WhyNot) -> dict[str, Any]:
    """One line of the table; a status or a category links to the list."""
    if reason.code == "CAME_BACK":
        return _line(reason, {"came_back": retry_limits.most_come_backs(), "status": "PENDING"})
    name = "status" if reason.code in DeadLetterStatus else "category"
    has_filter = reason.code in (*DeadLetterStatus, *Category)
    filters = {name: reason.code} | ({"status": "PENDING"} if name == "category" else {})
    return _line(reason, filters if has_filter else {})


def _line(reason: WhyNot, filters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "reason": reason.why,
        "count": reason.count,
        "earliest": reason.earliest,
        "url": list_url(urlencode(filters)) if filters else "",
    }


def _handlers() -> dict[str, Any]:
    """The event types that runs have handlers for, and the source of that."""
    handlers = known_handlers.for_retries()
    if handlers is None:
        return {
            "types": [],
            "more": 0,
            "said_by": _("No worker has reported, and DLQ_HANDLERS is wrong here."),
        }
    types = _visible_types(handlers.event_types)
    workers = (
        _("one worker")
        if handlers.workers == 1
        else _("{workers:,} workers").format(workers=handlers.workers)
    )
    said_by = (
        _("as {workers} last said").format(workers=workers)
        if handlers.workers
        else _("no worker has reported: as the web has them")
    )
    return {"types": types[:SHOWN_TYPES], "more": max(len(types) - SHOWN_TYPES, 0), "said_by": said_by}


def _visible_types(event_types: Collection[str]) -> list[str]:
    """The types that a person sees everywhere, and those of their visible dead letters."""
    access = current_access()
    if not access.is_limited:
        return sorted(event_types)
    visible_names = set(summaries.event_types())
    return sorted(name for name in event_types if name in visible_names or access.sees(ALL, name))
