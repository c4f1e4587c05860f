"""A worker's way through an operation: take it up, freeze, page by page, put it down or end it.

An operation is worked on in slices, so that none keeps a worker for ever. Between two pages nothing is in
anybody's memory: a worker that stops, orderly or not, costs at most the page it was at.
"""

import logging
import time

from django.db import Error

from dlqconsole.engine import handling, known_handlers
from dlqconsole.engine.database.transient_errors import connection_lost, retry_transient
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.engine.owners import owner_name
from dlqconsole.operations import kinds, leases, pacing
from dlqconsole.operations.canary import Canary, Halted
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.freezing import freeze
from dlqconsole.operations.models import Status
from dlqconsole.operations.pacing import OperationPace
from dlqconsole.operations.releasing import release_due
from dlqconsole.operations.sql import sql
from dlqconsole.operations.wake import wake
from dlqconsole.operations.work import Held, Pages, Waits
from dlqconsole.operations.workers import pages_of

log = logging.getLogger(__name__)

SLICE_SECONDS = 15.0
TAKE_UP_SECONDS = 30.0
# a selection is made in one go where it can be: the longer it takes, the less it is what the person saw
FREEZE_SECONDS = 60.0
# how often to look whether a fresher operation waits for its selection
LOOK_SECONDS = 0.5
# how often a person sees how a canary does
WATCH_SECONDS = 1.0
# a rate is kept in so small steps, for a person who cancels
STEPS_A_SECOND = 4
NAP_SECONDS = 0.2
# without a broker a worker looks for so long after work, before it takes the next task
ALONE_SECONDS = 60.0
# how long to leave an operation alone when all that is left is locked, or in another worker's hands
REST_SECONDS = 2.0
# a rehearsal's processes wait so long for its next slice, here or with another worker
IDLE_SECONDS = 60.0
REST_AFTER_ERROR_SECONDS = 30.0
LOCKED = "What remains is locked by another session, or in another worker's hands: trying again."


def run(operation_id: int, seconds: float = SLICE_SECONDS) -> None:
    """Work on an operation for a while; nothing when somebody else does, or it is over.

    While the broker is away nobody would hear of what is left: then this worker goes on with what waits.
    """
    following: int | None = operation_id
    while following is not None:
        following = _next_alone() if _work_on(following, seconds) else None


def _next_alone() -> int | None:
    """What waits first, as soon as something does; None: nothing did for a while."""
    deadline = time.monotonic() + ALONE_SECONDS
    while time.monotonic() < deadline:
        if (waiting := retry_transient(leases.next_waiting)) is not None:
            return waiting
        time.sleep(NAP_SECONDS)
    return None


def _work_on(operation_id: int, seconds: float) -> bool:
    """One slice; True where something is left, and the broker did not take the word to go on."""
    handling.end_rehearsals(IDLE_SECONDS)
    retry_transient(known_handlers.beat_of_worker)
    owner = owner_name()
    held = retry_transient(lambda: leases.adopt(operation_id, owner))
    if held is None:
        return False
    own = _Slice(held, owner, seconds)
    try:
        own.work()
    except NotOurs:
        # a person cancelled or paused, or the lease is lost: the row knows which
        if not (ended := retry_transient(lambda: leases.finish(held))):
            retry_transient(lambda: leases.put_down(held))
        _log_end(held, ended)
    except Halted as halted:
        note = str(halted)
        retry_transient(lambda: fetch_column(sql("controls.halt"), held.values() | {"note": note}))
        log.warning("operation %s: %s", held.id, note)
    except Exception as error:
        _give_up_for_now(held, error)
    return own.is_unheard


def take_up(seconds: float = TAKE_UP_SECONDS) -> None:
    """The tick: work on every operation that nobody has in hand. What makes a lost wake-up harmless.

    Before that, what only time ends: approvals that nobody gave, undo windows, and the wait for a worker that
    knows the operation's kind.
    """
    deadline = time.monotonic() + seconds
    handling.end_rehearsals(IDLE_SECONDS)
    retry_transient(known_handlers.beat_of_worker)
    retry_transient(lambda: fetch_column(sql("controls.expire"), {}))
    release_due(deadline)
    retry_transient(leases.note_unknown)
    while (left := deadline - time.monotonic()) > 0:
        waiting = leases.next_waiting()
        if waiting is None:
            return
        run(waiting, min(left, SLICE_SECONDS))


class _Slice:
    """One worker's time with one operation."""

    def __init__(self, held: Held, owner: str, seconds: float) -> None:
        self.held, self.owner, self.kind = held, owner, kinds.get(held.kind)
        self.deadline = time.monotonic() + seconds
        self.canary = Canary(held) if held.stage is not None else None
        self.pace: OperationPace | None = None
        self._look_again_at = 0.0
        # whether no worker hears of what is left
        self.is_unheard = False

    def work(self) -> None:
        if self.held.status == Status.CANCELLING:
            raise NotOurs
        if self.held.status == Status.FREEZING and not freeze(self.held, self.deadline + FREEZE_SECONDS):
            self._hand_on()
            return
        pages = pages_of(self.held, self.owner, self._is_over)
        self.pace = OperationPace.of_work(self.held)
        if self.canary:
            self.canary.choose()
        self._nap(leases.wait(self.held))
        try:
            while not self._is_over():
                if not self._sweep(pages):
                    return
        finally:
            if self.pace:
                self.pace.close()
        self._hand_on()

    def _sweep(self, pages: Pages) -> bool:
        """All remaining items once, in the order of their ids; False when there is nothing more to do now.

        What its failure group has to wait for is passed over: the next sweep meets it again.
        """
        after, settled = 0, 0
        while not self._is_over():
            room = self._room(pages)
            if room == 0:
                return self._watched()
            pages.rooms = self.pace.rooms() if self.pace else None
            pages.at_most = self._smallest(room)
            page = pages.next(after)
            settled += page.settled
            if self.pace:
                self.pace.took(page.taken)
            if page.last is None and pages.waits:
                return self._swept(settled, pages)
            if page.last is None:
                # the probes are not all there is
                return self._watched() if pages.probes else self._swept(settled, pages)
            after = page.last
            self._nap(leases.pace(self.held, page.settled))
        return True

    def _room(self, pages: Pages) -> int | None:
        """How many items the canary lets through now; None: all."""
        if self.canary is None:
            return None
        pages.probes = self.canary.is_at_probes()
        room = self.canary.room()
        if room is None:
            self.canary.look_now_and_then()
        return room

    def _smallest(self, *rooms: int | None) -> int | None:
        """The largest page that rate and canary allow."""
        limits = [room for room in rooms if room is not None]
        if self.held.rate:
            limits.append(max(self.held.rate // STEPS_A_SECOND, 1))
        return min(limits, default=None)

    def _waited(self, seconds: float) -> bool:
        """Until its pace lets it go on; False where it is put down for that long."""
        if seconds <= pacing.NAP_SECONDS:
            self._nap(seconds)
            return True
        self._rest(Waits("", seconds))
        return False

    def _rest(self, waits: Waits) -> None:
        if leases.put_down(self.held, waits.seconds, waits.note):
            self._wake(self.held.id, waits.seconds)

    def _nap(self, seconds: float) -> None:
        """Wait for the rate's next page, and notice meanwhile when somebody else should have this worker."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._is_over():
            time.sleep(min(left, NAP_SECONDS))

    def _watched(self) -> bool:
        """Between two stages: True when the next may begin; else the operation is put down for a moment."""
        assert self.canary is not None  # noqa: S101  (only a canary has stages)
        waits_for = self.canary.look()
        if not waits_for:
            return True
        self._rest(Waits(waits_for, WATCH_SECONDS))
        return False

    def _swept(self, settled: int, pages: Pages) -> bool:
        """The end of a sweep: the operation's end, another sweep, or a rest."""
        if ended := retry_transient(lambda: leases.finish(self.held)):
            _log_end(self.held, ended)
            if ended == Status.COMPLETED:
                self.kind.completed(self.held)
            return False
        if settled:
            return True
        for_pace = self.pace.seconds_to_wait() if self.pace else None
        if for_pace is not None and not pages.waits:
            return self._waited(for_pace)
        self.kind.before_rest()
        self._rest(pages.waits or Waits(LOCKED, REST_SECONDS))
        return False

    def _is_over(self) -> bool:
        """Whether somebody else should have this worker now. Asked before every row: the database, rarely."""
        now = time.monotonic()
        if now > self.deadline:
            return True
        if now >= self._look_again_at:
            self._look_again_at = now + LOOK_SECONDS
            if leases.waits_to_be_frozen(self.held) is not None:
                self.deadline = now
                return True
        return False

    def _hand_on(self) -> None:
        """Put the operation down and ask for a worker: for the one that waits to be frozen first."""
        fresher = leases.waits_to_be_frozen(self.held)
        if leases.put_down(self.held):
            for operation_id in (fresher, self.held.id):
                if operation_id is not None:
                    self._wake(operation_id)

    def _wake(self, operation_id: int, seconds: float = 0.0) -> None:
        self.is_unheard = bool(wake(operation_id, seconds))


def _give_up_for_now(held: Held, error: Exception) -> None:
    """What nobody foresaw: leave the operation as it is, say so on its receipt, and let it be tried again."""
    log.exception("operation %s stopped and will be tried again", held.id)
    note = f"Stopped by {type(error).__name__}: {' '.join(str(error).split())[:300]}. It will be tried again."
    try:
        retry_transient(lambda: leases.put_down(held, REST_AFTER_ERROR_SECONDS, note.replace("\x00", "")))
    except Error as away:
        if not connection_lost(away):
            raise
        log.warning("the database is away; the lease of operation %s will run out by itself", held.id)


def _log_end(held: Held, ended: str) -> None:
    log.info("operation %s: %s", held.id, ended or "in other hands")
