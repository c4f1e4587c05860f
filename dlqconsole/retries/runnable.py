"""The test for runnable work: a run is pointless while breakers hold all due dead letters."""

from collections.abc import Collection
from math import inf

from dlqconsole.core.dead_letters import claims
from dlqconsole.core.dead_letters.claims import ClaimRequest
from dlqconsole.core.flow.breakers import Blocked, Gate
from dlqconsole.retries import actions
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.worker_lane import WorkerLane


def seconds_until_runnable(event_types: Collection[str]) -> float | None:
    """The seconds until a breaker allows a probe; infinite: unknown.

    None: some due dead letters are runnable.
    """
    gate = Gate()
    free_lanes: list[ClaimRequest] = []
    stopped_lanes: list[ClaimRequest] = []
    waits: list[float] = []
    for lane in runnable_lanes(event_types, with_revivals=True):
        breaker = gate.blocked(lane.event_type)
        if breaker is None or breaker.next_probe_seconds == 0:
            free_lanes.append(lane)
            continue
        stopped_lanes.append(lane)
        waits.append(_seconds(breaker))
    is_held = bool(stopped_lanes) and claims.any_due(stopped_lanes) and not claims.any_due(free_lanes)
    return min(waits) if is_held else None


def _seconds(breaker: Blocked) -> float:
    if breaker.next_probe_seconds is not None:
        return breaker.next_probe_seconds
    return max((breaker.held_until - database_now()).total_seconds(), 0.0) if breaker.held_until else inf


def runnable_lanes(event_types: Collection[str], *, with_revivals: bool = False) -> list[ClaimRequest]:
    """The lanes of these event types that may run now, as claims describe them.

    ``with_revivals``: and what any worker may revive.
    """
    lanes = [*actions.retry_lanes(event_types), *(actions.revivals().lanes if with_revivals else ())]
    return [WorkerLane(lane).request(1, 0.0) for lane in lanes]
