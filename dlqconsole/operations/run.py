"""A worker's way through an operation: take it up, freeze, page by page, put it down or end it.

An operation is worked on in slices, so that none keeps a worker for ever. Between two pages nothing is in
anybody's memory: a worker that stops, orderly or not, costs at most the page it was at.
"""

import logging
import time

from django.db import Error

from dlqconsole.engine import dead_letters
from dlqconsole.engine.consumer import owner_name
from dlqconsole.engine.steadiness import connection_lost, steadily
from dlqconsole.operations import leases
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.freezing import freeze
from dlqconsole.operations.leases import Held
from dlqconsole.operations.models import Kind, Status
from dlqconsole.operations.pages import SetPages
from dlqconsole.operations.retrying import RetryPages
from dlqconsole.operations.wake import wake

log = logging.getLogger(__name__)

SLICE_SECONDS = 15.0
TAKE_UP_SECONDS = 30.0
# a selection is made in one go where it can be: the longer it takes, the less it is what the person saw
FREEZE_SECONDS = 60.0
# how often to look whether a fresher operation waits for its selection
LOOK_SECONDS = 0.5
# how long to leave an operation alone when all that is left is locked, or in another worker's hands
REST_SECONDS = 2.0
REST_AFTER_ERROR_SECONDS = 30.0


def run(operation_id: int, seconds: float = SLICE_SECONDS) -> None:
    """Work on an operation for a while; nothing when somebody else does, or it is over."""
    owner = owner_name()
    held = steadily(lambda: leases.adopt(operation_id, owner))
    if held is None:
        return
    try:
        _Slice(held, owner, seconds).work()
    except NotOurs:
        # a person cancelled, or the lease is lost: the row knows which
        _log_end(held, steadily(lambda: leases.finish(held)))
    except Exception as error:
        _give_up_for_now(held, error)


def take_up(seconds: float = TAKE_UP_SECONDS) -> None:
    """The tick: work on every operation that nobody has in hand. What makes a lost wake-up harmless."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        waiting = leases.next_waiting()
        if waiting is None:
            return
        run(waiting, min(left, SLICE_SECONDS))


class _Slice:
    """One worker's time with one operation."""

    def __init__(self, held: Held, owner: str, seconds: float) -> None:
        self.held, self.owner = held, owner
        self.deadline = time.monotonic() + seconds
        self._look_again_at = 0.0

    def work(self) -> None:
        if self.held.status == Status.CANCELLING:
            raise NotOurs
        if self.held.status == Status.FREEZING and not freeze(self.held, self.deadline + FREEZE_SECONDS):
            self._hand_on()
            return
        pages = self._pages()
        while not self._is_over():
            if not self._sweep(pages):
                return
        self._hand_on()

    def _pages(self) -> SetPages | RetryPages:
        if self.held.kind == Kind.RETRY:
            return RetryPages(self.held, self.owner, self._is_over)
        return SetPages(self.held)

    def _sweep(self, pages: SetPages | RetryPages) -> bool:
        """All remaining items once, in the order of their ids; False when there is nothing more to do now."""
        after, settled = 0, 0
        while not self._is_over():
            page = pages.next(after)
            settled += page.settled
            if page.last is None:
                return self._swept(settled)
            after = page.last
        return True

    def _swept(self, settled: int) -> bool:
        """The end of a sweep: the operation's end, another sweep, or a rest."""
        if ended := steadily(lambda: leases.finish(self.held)):
            _log_end(self.held, ended)
            return False
        if settled:
            return True
        if self.held.kind == Kind.RETRY:
            dead_letters.reclaim()
        note = "What remains is locked by another session, or in another worker's hands: trying again."
        leases.put_down(self.held, REST_SECONDS, note)
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
                    wake(operation_id)


def _give_up_for_now(held: Held, error: Exception) -> None:
    """What nobody foresaw: leave the operation as it is, say so on its receipt, and let it be tried again."""
    log.exception("operation %s stopped and will be tried again", held.id)
    note = f"Stopped by {type(error).__name__}: {' '.join(str(error).split())[:300]}. It will be tried again."
    try:
        steadily(lambda: leases.put_down(held, REST_AFTER_ERROR_SECONDS, note.replace("\x00", "")))
    except Error as away:
        if not connection_lost(away):
            raise
        log.warning("the database is away; the lease of operation %s will run out by itself", held.id)


def _log_end(held: Held, ended: str) -> None:
    log.info("operation %s: %s", held.id, ended or "in other hands")
