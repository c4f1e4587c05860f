"""The scheduled retry: a worker that has a tick joins the run that is open, or begins one when it is time.

The lock says who begins a run and keeps its book, so that a fleet has one at a time. What is retried, and
that nothing is retried twice, is each dead letter's own affair (``loop``).
"""

import logging
from contextlib import suppress

from django.conf import settings
from django.db import DatabaseError

from dlqconsole.engine import handling, known_handlers
from dlqconsole.engine.database.locks import HeldLock
from dlqconsole.engine.dead_letters import claims
from dlqconsole.engine.errors import LockHeld
from dlqconsole.retries import next_run, policies, run_records
from dlqconsole.retries.executors import executor
from dlqconsole.retries.held_back import held_back_seconds, wanted
from dlqconsole.retries.loop import Loop
from dlqconsole.retries.models import Ended, RetryRun
from dlqconsole.retries.next_run import LOCK, LOCK_AT_MOST_SECONDS
from dlqconsole.retries.run_records import Ending, RunRecord

log = logging.getLogger(__name__)

SCHEDULE, BY_HAND = "schedule", "by hand"


def run_when_due() -> RetryRun | None:
    """The tick: free what dead workers held, join the run that goes on, or begin one if it is time."""
    known_handlers.beat_of_worker()
    if freed := claims.reclaim():
        log.warning("took back %s dead letters whose workers stopped", len(freed))
    if not settings.DLQ_RETRY_ENABLED:
        return None
    goes_on = run_records.open_run()
    if goes_on is not None:
        is_any_due = claims.any_due(wanted(handling.registry().event_types))
        return _work(run_records.join(goes_on)) if is_any_due else None
    if not next_run.is_due() or held_back_seconds(handling.registry().event_types) is not None:
        return None
    try:
        return run(SCHEDULE)
    except LockHeld as held:
        log.info("%s", held)
        return None


def run(trigger: str = BY_HAND) -> RetryRun | None:
    """Begin a run and drain what is due and has a handler here; the run's row. None: its turn had passed once
    it held the lock, or all that is due is for workers with other handlers. By hand, what is slowed down is
    left to the workers of the schedule, where there are any: nobody waits minutes for it at a terminal.

    Raises LockHeld, which says by whom and until when, and HandlerSetupError.
    """
    handling.registry()
    least = policies.current().of_all().lock_at_least_seconds
    with HeldLock(LOCK, at_most=LOCK_AT_MOST_SECONDS, at_least=min(least, LOCK_AT_MOST_SECONDS)) as lock:
        turn = next_run.next_run()
        if trigger == SCHEDULE and (not turn.is_due or _is_for_others()):
            return None
        late, missed = (turn.late, turn.missed) if trigger == SCHEDULE else (0.0, 0)
        # who asked for it stands in the audit log
        part = run_records.begin(BY_HAND if turn.is_asked_for else trigger, lock, late, missed)
        return _work(part, leaves_slowed=trigger == BY_HAND and _the_schedule_goes_on())


def _work(part: RunRecord, *, leaves_slowed: bool = False) -> RetryRun:
    """This worker's part in a run, to its end, whatever ends it."""
    event_types = handling.registry().event_types
    try:
        ending = Loop(part, executor(), event_types, leaves_slowed=leaves_slowed).drain()
    except BaseException as error:
        with suppress(DatabaseError):
            part.end(Ending(Ended.ERROR, f"stopped by {type(error).__name__}: {str(error)[:300]}", 0.0))
        raise
    if ending.ended_for == Ended.NOTHING_DUE and part.keeps and _others_could():
        ending = Ending(Ended.FOR_OTHERS, "left what is for another worker's handlers to that one", 0.0)
    return part.end(ending)


def _the_schedule_goes_on() -> bool:
    """Whether workers that run now have the handlers of this process."""
    ours = set(handling.registry().event_types)
    return settings.DLQ_RETRY_ENABLED and ours <= known_handlers.of_workers()


def _is_for_others() -> bool:
    """Whether a turn of ours would only be taken from a worker that has the handlers."""
    return _others_could() and not claims.any_due(wanted(handling.registry().event_types))


def _others_could() -> bool:
    """Whether anything is due that another worker, which runs now, has a handler for and we have not."""
    others = known_handlers.of_workers() - set(handling.registry().event_types)
    return bool(others) and claims.any_due(wanted(sorted(others)))
