"""The scheduled retry: at a tick a worker joins the open run, or begins one when it is time.

The holder of the lock begins a run and keeps its record, so that a fleet has one at a time. The claim of each
dead letter keeps it from being retried twice (``loop``).
"""

import logging
from collections.abc import Collection
from contextlib import suppress
from math import inf

from django.conf import settings
from django.db import DatabaseError

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import claims
from dlqconsole.core.dead_letters.claims import ClaimRequest
from dlqconsole.core.errors import LockHeld
from dlqconsole.core.flow.breakers import Blocked, Gate
from dlqconsole.core.transient_errors import sentence
from dlqconsole.engine import known_handlers
from dlqconsole.engine.database.locks import HeldLock
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.retries import actions, next_run, run_records
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.executors import executor
from dlqconsole.retries.loop import Loop
from dlqconsole.retries.models import EndReason, RetryRun
from dlqconsole.retries.next_run import LOCK, LOCK_AT_MOST_SECONDS
from dlqconsole.retries.run_records import Ending, RunRecord
from dlqconsole.retries.worker_lane import WorkerLane

log = logging.getLogger(__name__)

SCHEDULE, BY_HAND = "schedule", "by hand"
STOPPED_BY = stored("stopped by {error}: {words}")
LEFT_TO_OTHERS = stored("left what is for another worker's handlers to that one")
# a run is over at once where nothing is due: meanwhile no other worker begins one
LOCK_AT_LEAST_SECONDS = 1.0


def run_when_due() -> RetryRun | None:
    """The tick: reclaim dead letters of dead workers, join the open run, or begin one if it is time."""
    known_handlers.beat_of_worker()
    if reclaims := claims.reclaim():
        log.warning("took back %s dead letters whose workers stopped", len(reclaims))
    if not settings.DLQ_RETRY_ENABLED:
        return None
    goes_on = run_records.open_run()
    if goes_on is not None:
        return _work(run_records.join(goes_on)) if _is_any_due_here() else None
    if not next_run.is_due() or seconds_until_runnable(handling.registry().event_types) is not None:
        return None
    try:
        return run(SCHEDULE)
    except LockHeld as refusal:
        log.info("%s", refusal)
        return None


def run(trigger: str = BY_HAND) -> RetryRun | None:
    """Begin a run and drain the due dead letters with a handler here; return the run's row.

    None: its turn had passed when it got the lock, or all due dead letters need other workers' handlers. By
    hand, slowed-down dead letters are left to the workers of the schedule, if any: nobody waits minutes at a
    terminal. Raises LockHeld, with holder and end, and HandlerSetupError.
    """
    handling.registry()
    with HeldLock(LOCK, at_most=LOCK_AT_MOST_SECONDS, at_least=LOCK_AT_LEAST_SECONDS) as lock:
        turn = next_run.next_run()
        if trigger == SCHEDULE and (not turn.is_due or _is_for_others()):
            return None
        late, missed = (turn.late, turn.missed) if trigger == SCHEDULE else (0.0, 0)
        # the audit log has the person who requested it
        part = run_records.begin(BY_HAND if turn.is_asked_for else trigger, lock, late, missed)
        return _work(part, leaves_slowed=trigger == BY_HAND and _the_schedule_goes_on())


def _work(part: RunRecord, *, leaves_slowed: bool = False) -> RetryRun:
    """Do this worker's part in a run, to its end, whatever ends it."""
    event_types = handling.registry().event_types
    try:
        ending = Loop(part, executor(), event_types, leaves_slowed=leaves_slowed).drain()
    except BaseException as error:
        with suppress(DatabaseError):
            part.end(
                Ending(
                    EndReason.ERROR,
                    STOPPED_BY.format(error=type(error).__name__, words=sentence(error)[:300]),
                    0.0,
                )
            )
        raise
    if ending.ended_for == EndReason.NOTHING_DUE and part.keeps and _others_could():
        ending = Ending(EndReason.FOR_OTHERS, LEFT_TO_OTHERS, 0.0)
    return part.end(ending)


def _the_schedule_goes_on() -> bool:
    """Tell whether live workers have all handlers of this process."""
    ours = set(handling.registry().event_types)
    return settings.DLQ_RETRY_ENABLED and ours <= known_handlers.of_workers()


def _is_for_others() -> bool:
    """Tell whether only other workers have handlers for the due dead letters."""
    return _others_could() and not _is_any_due_here()


def _is_any_due_here() -> bool:
    """Tell whether this worker can retry or revive something that is due."""
    return claims.any_due(runnable_lanes(handling.registry().event_types, with_revivals=True))


def _others_could() -> bool:
    """Tell whether a due dead letter has a handler in another live worker and none here."""
    others = known_handlers.of_workers() - set(handling.registry().event_types)
    return bool(others) and claims.any_due(runnable_lanes(sorted(others)))


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
