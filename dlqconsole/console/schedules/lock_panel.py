"""The schedule's lock: its holder, its end, and the difference of the clocks."""

import time
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from dlqconsole.console.access.guard import UNLIMITED
from dlqconsole.console.access.permissions import VIEWERS, can_operate
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database import locks
from dlqconsole.retries import beat_heartbeats, takeover
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.next_run import LOCK

# a clock with a greater difference is reported
DRIFT_SECONDS = 2.0


def lock_panel(request: HttpRequest) -> dict[str, Any]:
    """The context of the panel."""
    holder, standing = locks.holder(LOCK), takeover.takeover_state()
    own = _own_drift()
    return {
        "name": LOCK,
        "holder": holder,
        "held": standing.is_held,
        "heartbeat": standing.silent,
        "run": standing.run,
        "own_drift": _words(own),
        "holder_drift": _words(holder.clock_drift) if holder else "",
        "drifts": max(abs(own), abs(holder.clock_drift) if holder else 0.0) > DRIFT_SECONDS,
        "take_over": {"url": reverse("dlq:schedule_take_over"), "why_not": _why_not(request, standing)},
        "beats": beat_heartbeats.alive(),
        "too_many": beat_heartbeats.too_many(),
    }


def _why_not(request: HttpRequest, standing: takeover.TakeoverState) -> str:
    if not can_operate(request):
        return VIEWERS
    access = current_access()
    return UNLIMITED.format(scope=access.words()) if access.is_limited else standing.refusal


def _own_drift() -> float:
    """The seconds by which this host's clock is ahead of the database's, less half of the round trip."""
    before = time.time()
    there = database_now().timestamp()
    return (before + time.time()) / 2 - there


def _words(seconds: float) -> str:
    if abs(seconds) < 0.1:
        return "none"
    return f"{abs(seconds):,.1f} s {'ahead of' if seconds > 0 else 'behind'} the database's"
