"""Whether a run would find nothing that it may do: all that is due is behind breakers."""

from collections.abc import Collection
from math import inf

from dlqconsole.engine.breakers import Gate
from dlqconsole.engine.dead_letters import claims
from dlqconsole.engine.dead_letters.claims import ClaimRequest
from dlqconsole.processing.breakers import Blocked
from dlqconsole.retries import policies
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.worker_lane import WorkerLane


def held_back_seconds(event_types: Collection[str]) -> float | None:
    """Until a breaker lets somebody try; infinite: none says when. None: they do not hold all that is due."""
    gate = Gate()
    free: list[ClaimRequest] = []
    blocked: list[ClaimRequest] = []
    waits: list[float] = []
    for one in wanted(event_types):
        stops = gate.blocked(one.event_type)
        if stops is None or stops.next_probe_seconds == 0:
            free.append(one)
            continue
        blocked.append(one)
        waits.append(_seconds(stops))
    is_held = bool(blocked) and claims.any_due(blocked) and not claims.any_due(free)
    return min(waits) if is_held else None


def _seconds(stops: Blocked) -> float:
    if stops.next_probe_seconds is not None:
        return stops.next_probe_seconds
    return max((stops.held_until - database_now()).total_seconds(), 0.0) if stops.held_until else inf


def wanted(event_types: Collection[str]) -> list[ClaimRequest]:
    """What is looked for of these event types: the lanes that may run now."""
    return [WorkerLane(lane).wanted(1, 0.0) for lane in policies.current().lanes(sorted(event_types))]
