"""The scheduled retry: drain what is due, batch by batch, under the fleet's lock.

The lock only keeps two schedulers from doing the same work. That no dead letter is handled twice is held
by its own claim, also when the lock has run out under a run that was stopped for too long.
"""

import logging
import time
from functools import partial

from django.conf import settings

from dlqconsole.engine import handling, known_handlers
from dlqconsole.engine.database.locks import HeldLock
from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.engine.dead_letters import transitions as dead_letters
from dlqconsole.engine.errors import LockHeld
from dlqconsole.engine.owners import owner_name
from dlqconsole.retries.attempts import row_lease_seconds
from dlqconsole.retries.batch import Batch
from dlqconsole.retries.models import RetryRun
from dlqconsole.retries.records import Record
from dlqconsole.retries.turns import LOCK_AT_MOST_SECONDS, is_due

log = logging.getLogger(__name__)

LOCK = "dlq-retry"
LOCK_AT_LEAST_SECONDS = 1.0
SCHEDULE, BY_HAND = "schedule", "by hand"


def run_when_due() -> RetryRun | None:
    """The tick: free what dead workers held, and run if it is our turn."""
    known_handlers.beat_of_worker()
    if freed := dead_letters.reclaim():
        log.warning("took back %s dead letters whose workers stopped", len(freed))
    if not is_due():
        return None
    try:
        return run(SCHEDULE)
    except LockHeld as held:
        log.info("%s", held)
        return None


def run(trigger: str = BY_HAND) -> RetryRun | None:
    """Drain what is due and has a handler here; the run's row. None: its turn had passed once it held the
    lock, or all that is due is for workers with other handlers.

    Raises LockHeld, which says by whom and until when, and HandlerSetupError.
    """
    handling.registry()
    with HeldLock(LOCK, at_most=LOCK_AT_MOST_SECONDS, at_least=LOCK_AT_LEAST_SECONDS) as lock:
        if trigger == SCHEDULE and (not is_due() or _is_for_others()):
            return None
        return _Run(trigger, lock).drain()


def _is_for_others() -> bool:
    """Whether a turn of ours would only be taken from a worker that has the handlers."""
    return _others_could() and not dead_letters.any_due(handling.registry().event_types)


def _others_could() -> bool:
    """Whether anything is due that another worker, which runs now, has a handler for and we have not."""
    others = known_handlers.of_workers() - set(handling.registry().event_types)
    return bool(others) and dead_letters.any_due(sorted(others))


class _Run:
    """One run, while it goes on."""

    def __init__(self, trigger: str, lock: HeldLock) -> None:
        self.trigger, self.lock, self.owner = trigger, lock, owner_name()
        self.deadline = time.monotonic() + settings.DLQ_RETRY_TIME_BUDGET
        self.record = Record(trigger, self.owner, lock)
        self.stopped_by = ""
        self._event_types = handling.registry().event_types
        self._unhandled: list[int] = []

    def drain(self) -> RetryRun:
        """Until nothing is due, or the time is used, or the lock is lost."""
        try:
            self._keep_house()
            while self._may_go_on() and self._batch():
                pass
        except BaseException as error:
            self.record.end(f"stopped by {type(error).__name__}: {str(error)[:300]}", more_due=True)
            raise
        if not self.stopped_by and _others_could():
            return self.record.end("left what is for another worker's handlers to that one", more_due=True)
        return self.record.end(self.stopped_by, more_due=bool(self.stopped_by))

    def _keep_house(self) -> None:
        dead_letters.reclaim()
        exhaust = partial(dead_letters.exhaust, self._event_types)
        while (exhausted := retry_transient(exhaust)) and self._may_go_on():
            self.record.counts["exhausted"] += exhausted
            self.record.beat()

    def _batch(self) -> bool:
        """Claim and handle one batch; False when nothing is due."""
        if self.trigger == SCHEDULE:
            known_handlers.beat_of_worker()
        size = settings.DLQ_RETRY_BATCH_SIZE
        claims = retry_transient(lambda: self._claim(size))
        self.record.counts["claimed"] += len(claims)
        batch = Batch(claims, self.owner, self._may_go_on)
        for done in batch.results():
            self.record.count(done)
        self.record.counts["lost"] += batch.lost
        self._unhandled += batch.unhandled
        return bool(claims)

    def _claim(self, size: int) -> list[dead_letters.Claim]:
        lease = row_lease_seconds()
        return dead_letters.claim_due(size, self.owner, lease, self._event_types, self._unhandled)

    def _may_go_on(self) -> bool:
        done = self.record.counts["succeeded"] + self.record.counts["failed"]
        if self.record.refused or not self.lock.is_held:
            self.stopped_by = f"lost the lock {LOCK}: stopped after {done:,} attempts"
        elif time.monotonic() > self.deadline:
            self.stopped_by = (
                f"used its {settings.DLQ_RETRY_TIME_BUDGET} s: stopped after {done:,} attempts, more follow"
            )
        return not self.stopped_by
