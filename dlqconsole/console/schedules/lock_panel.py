"""The lock as people see it: who has it, until when, and what its clocks say."""

import time
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from dlqconsole.console.access.guard import UNLIMITED
from dlqconsole.console.access.permissions import VIEWERS, can_operate
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.engine.database import locks
from dlqconsole.retries import beat_heartbeats, takeover
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.next_run import LOCK

# a clock that is so far off is worth a word
DRIFT_SECONDS = 2.0


def lock_panel(request: HttpRequest) -> dict[str, Any]:
    """What the panel shows."""
    found, standing = locks.holder(LOCK), takeover.takeover_state()
    own = _own_drift()
    return {
        "name": LOCK,
        "found": found,
        "held": standing.is_held,
        "heartbeat": standing.silent,
        "run": standing.run,
        "own_drift": _words(own),
        "holder_drift": _words(found.clock_drift) if found else "",
        "drifts": max(abs(own), abs(found.clock_drift) if found else 0.0) > DRIFT_SECONDS,
        "take_over": {"url": reverse("schedule_take_over"), "why_not": _why_not(request, standing)},
        "beats": beat_heartbeats.alive(),
        "too_many": beat_heartbeats.too_many(),
    }


def _why_not(request: HttpRequest, standing: takeover.TakeoverState) -> str:
    if not can_operate(request):
        return VIEWERS
    reach = reach_of(request)
    return UNLIMITED.format(reach=reach.words()) if reach.is_limited else standing.refusal


def _own_drift() -> float:
    """How many seconds this host's clock is ahead of the database's, but for half of the way there."""
    before = time.time()
    there = database_now().timestamp()
    return (before + time.time()) / 2 - there


def _words(seconds: float) -> str:
    if abs(seconds) < 0.1:
        return "none"
    return f"{abs(seconds):,.1f} s {'ahead of' if seconds > 0 else 'behind'} the database's"
