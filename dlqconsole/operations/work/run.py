"""A worker's part of an operation: take it up, freeze it, work page by page, put it down or end it.

A worker works in slices, so that no operation keeps it for ever. Between two pages nothing is only in memory:
a worker that stops, orderly or not, loses at most its present page.
"""

import logging
import time
from dataclasses import asdict

from django.db import Error

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.owners import owner_name
from dlqconsole.core.transient_errors import connection_lost, retry_transient, sentence
from dlqconsole.engine import known_handlers
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.models import Status
from dlqconsole.operations.pages.work import OperationLease, Pages, Waits
from dlqconsole.operations.requests.workers import wake
from dlqconsole.operations.sql import sql
from dlqconsole.operations.work import leases, pacing
from dlqconsole.operations.work.canary import Canary, Halted
from dlqconsole.operations.work.freezing import freeze
from dlqconsole.operations.work.leases import pages_of
from dlqconsole.operations.work.pacing import OperationPace
from dlqconsole.operations.work.releasing import release_due
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.retries import stopping

log = logging.getLogger(__name__)

SLICE_SECONDS = 15.0
TAKE_UP_SECONDS = 30.0
# a selection is made in one go if possible: the longer it takes, the more it differs from what the person saw
FREEZE_SECONDS = 60.0
# the interval of looks for a newer operation that waits for its selection
LOOK_SECONDS = 0.5
# the interval of news from a canary
WATCH_SECONDS = 1.0
# a rate is kept in small steps, so that a cancel works soon
STEPS_A_SECOND = 4
NAP_SECONDS = 0.2
# without a broker a worker looks for further work so long, before it takes the next task
ALONE_SECONDS = 60.0
# the rest of an operation when all its remaining items are locked, or in another worker's hands
REST_SECONDS = 2.0
REST_AFTER_ERROR_SECONDS = 30.0
LOCKED = stored("The rest is locked by another session or worker: trying again.")
GIVEN_UP = stored("Stopped by {error}: {words}. It will be tried again.")


def run(operation_id: int, seconds: float = SLICE_SECONDS) -> None:
    """Work on an operation for a while; do nothing when another worker has it, or it is over.

    While the broker is away no other worker would hear of the rest: then this one goes on with operations
    that wait.
    """
    following: int | None = operation_id
    while following is not None:
        following = _next_alone() if _work_on(following, seconds) else None


def _next_alone() -> int | None:
    """Return the first operation that waits, as soon as one does; None: none did for a while."""
    deadline = time.monotonic() + ALONE_SECONDS
    while time.monotonic() < deadline and not stopping.is_told():
        if (waiting := retry_transient(leases.next_waiting)) is not None:
            return waiting
        time.sleep(NAP_SECONDS)
    return None


def _work_on(operation_id: int, seconds: float) -> bool:
    """Work one slice; True where work is left and the broker did not take the wake-up."""
    _let_go_of_idle()
    retry_transient(known_handlers.beat_of_worker)
    owner = owner_name()
    lease = retry_transient(lambda: leases.adopt(operation_id, owner))
    if lease is None:
        return False
    own = _Slice(lease, owner, seconds)
    try:
        own.work()
    except NotOurs:
        # a person cancelled or paused, or the lease is lost: the row knows which
        if not (status := retry_transient(lambda: leases.finish(lease))):
            retry_transient(lambda: leases.put_down(lease))
        _log_end(lease, status)
    except Halted as halt:
        values = lease.values() | asdict(halt.outcomes) | {"note": str(halt)}
        retry_transient(lambda: fetch_column(sql("controls.halt"), values))
        log.warning("operation %s: %s", lease.id, halt)
    except Exception as error:
        _give_up_for_now(lease, error)
    return own.is_unheard


def _let_go_of_idle() -> None:
    for kind in kinds.every():
        kind.let_go()


def take_up(seconds: float = TAKE_UP_SECONDS) -> None:
    """The tick: work on every operation without a lease. This makes a lost wake-up harmless.

    Before that, end the states that time ends: approvals that nobody gave, undo windows, and the wait for a
    worker that knows the operation's kind.
    """
    deadline = time.monotonic() + seconds
    _let_go_of_idle()
    retry_transient(known_handlers.beat_of_worker)
    retry_transient(lambda: fetch_column(sql("controls.expire"), {}))
    release_due(deadline)
    retry_transient(leases.note_unknown)
    while (seconds_left := deadline - time.monotonic()) > 0 and not stopping.is_told():
        waiting = leases.next_waiting()
        if waiting is None:
            return
        run(waiting, min(seconds_left, SLICE_SECONDS))


class _Slice:
    """One worker's slice of one operation."""

    def __init__(self, lease: OperationLease, owner: str, seconds: float) -> None:
        self.lease, self.owner, self.kind = lease, owner, kinds.get(lease.kind)
        self.deadline = time.monotonic() + seconds
        self.canary = Canary(lease) if lease.stage is not None else None
        self.pace: OperationPace | None = None
        self._look_again_at = 0.0
        # True: no worker hears of the rest
        self.is_unheard = False

    def work(self) -> None:
        if self.lease.status == Status.CANCELLING:
            raise NotOurs
        if self.lease.status == Status.FREEZING and not freeze(self.lease, self.deadline + FREEZE_SECONDS):
            self._hand_on()
            return
        pages = pages_of(self.lease, self.owner, self._is_over)
        self.pace = OperationPace.of_work(self.lease)
        if self.canary:
            self.canary.choose()
        self._nap(leases.wait(self.lease))
        try:
            while not self._is_over():
                if not self._sweep(pages):
                    return
        finally:
            if self.pace:
                self.pace.close()
        self._hand_on()

    def _sweep(self, pages: Pages) -> bool:
        """Go once over all remaining items in the order of their ids; False when nothing is left to do now.

        Items whose failure group has to wait are passed over: the next sweep meets them again.
        """
        after, settled_count = 0, 0
        while not self._is_over():
            room = self._room(pages)
            if room == 0:
                return self._watch_stage()
            pages.rooms = self.pace.rooms() if self.pace else None
            pages.at_most = self._smallest(room)
            page = pages.next(after)
            settled_count += page.settled
            if self.pace:
                self.pace.took(page.begun_by_group)
            if page.last is None and pages.waits:
                return self._end_sweep(settled_count, pages)
            if page.last is None:
                # there are items beside the probes
                return self._watch_stage() if pages.probes else self._end_sweep(settled_count, pages)
            after = page.last
            self._nap(leases.pace(self.lease, page.settled))
        return True

    def _room(self, pages: Pages) -> int | None:
        """The number of items that the canary lets through now; None: all."""
        if self.canary is None:
            return None
        pages.probes = self.canary.is_at_probes()
        room = self.canary.room()
        if room is None:
            self.canary.look_now_and_then()
        return room

    def _smallest(self, *rooms: int | None) -> int | None:
        """The largest page that the rate and these limits allow."""
        limits = [room for room in rooms if room is not None]
        if self.lease.rate:
            limits.append(max(self.lease.rate // STEPS_A_SECOND, 1))
        return min(limits, default=None)

    def _wait_for_pace(self, seconds: float) -> bool:
        """Wait until the pace lets it go on; False where it is put down for that long."""
        if seconds <= pacing.NAP_SECONDS:
            self._nap(seconds)
            return True
        self._rest(Waits("", seconds))
        return False

    def _rest(self, waits: Waits) -> None:
        if leases.put_down(self.lease, waits.seconds, waits.note):
            self._wake(self.lease.id, waits.seconds)

    def _nap(self, seconds: float) -> None:
        """Sleep until the rate's next page, or until another operation should have this worker."""
        until = time.monotonic() + seconds
        while (seconds_left := until - time.monotonic()) > 0 and not self._is_over():
            time.sleep(min(seconds_left, NAP_SECONDS))

    def _watch_stage(self) -> bool:
        """Look at the stage's outcomes. True when the next stage may begin; else put the operation down."""
        assert self.canary is not None  # noqa: S101  (only a canary has stages)
        waits_for = self.canary.look()
        if not waits_for:
            return True
        self._rest(Waits(waits_for, WATCH_SECONDS))
        return False

    def _end_sweep(self, settled_count: int, pages: Pages) -> bool:
        """End a sweep: end the operation, begin another sweep, or rest."""
        if status := retry_transient(lambda: leases.finish(self.lease)):
            _log_end(self.lease, status)
            if status == Status.COMPLETED:
                self.kind.on_completed(self.lease)
            return False
        if settled_count:
            return True
        for_pace = self.pace.seconds_to_wait() if self.pace else None
        if for_pace is not None and not pages.waits:
            return self._wait_for_pace(for_pace)
        self.kind.before_rest()
        self._rest(pages.waits or Waits(LOCKED, REST_SECONDS))
        return False

    def _is_over(self) -> bool:
        """Tell whether another operation should have this worker now, or it has to stop.

        Called before every row; rarely a query.
        """
        now = time.monotonic()
        if now > self.deadline or stopping.is_told():
            return True
        if now >= self._look_again_at:
            self._look_again_at = now + LOOK_SECONDS
            if leases.next_to_freeze(self.lease) is not None:
                self.deadline = now
                return True
        return False

    def _hand_on(self) -> None:
        """Put the operation down and wake a worker, first for an operation that waits to be frozen."""
        newer = leases.next_to_freeze(self.lease)
        if leases.put_down(self.lease):
            for operation_id in (newer, self.lease.id):
                if operation_id is not None:
                    self._wake(operation_id)

    def _wake(self, operation_id: int, seconds: float = 0.0) -> None:
        self.is_unheard = bool(wake(operation_id, seconds))


def _give_up_for_now(lease: OperationLease, error: Exception) -> None:
    """Put the operation down after an unforeseen error: note it on the receipt; it is tried again later."""
    log.exception("operation %s stopped and will be tried again", lease.id)
    note = GIVEN_UP.format(error=type(error).__name__, words=sentence(error)[:300])
    try:
        retry_transient(lambda: leases.put_down(lease, REST_AFTER_ERROR_SECONDS, note.replace("\x00", "")))
    except Error as away:
        if not connection_lost(away):
            raise
        log.warning("the database is away; the lease of operation %s will run out by itself", lease.id)


def _log_end(lease: OperationLease, status: str) -> None:
    log.info("operation %s: %s", lease.id, status or "in other hands")
