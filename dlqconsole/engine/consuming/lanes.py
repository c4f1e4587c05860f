"""One queue as one consumer sees it: claims come in, outcomes go out, several at a time."""

import time
from collections import Counter, deque
from dataclasses import dataclass, field

from django.db import Error

from dlqconsole.engine import crash_points, messages
from dlqconsole.engine.consuming import settlement
from dlqconsole.engine.consuming.settlement import Settled, not_stored
from dlqconsole.engine.database import prepared
from dlqconsole.engine.database.transient_errors import connection_lost, refused, retry_transient
from dlqconsole.engine.handling import Handled
from dlqconsole.engine.lifecycle import failures
from dlqconsole.engine.messages.policies import policy
from dlqconsole.engine.messages.removing import begin_complete_handled
from dlqconsole.engine.queues.breakers import Breaker
from dlqconsole.processing.outcomes import Failed

# How long a success may wait for others before it is recorded. A consumer that is killed in between has its
# messages handled again: their idempotency keys are for that.
LONGEST_WAIT = 0.1


@dataclass(slots=True)
class Lane:
    """Claims from a queue and records what handlers made of them. One thread's.

    ``in_hand`` is what was claimed and not settled yet, the next to be handled first.
    """

    queue: str
    owner: str
    counts: Counter[Settled] = field(default_factory=Counter)
    in_hand: deque[messages.Claim] = field(default_factory=deque)
    breaker: Breaker = field(init=False)
    _reader: messages.Reader = field(init=False)
    _done: list[tuple[messages.Claim, Handled]] = field(default_factory=list)
    _oldest: float = 0.0

    def __post_init__(self) -> None:
        self.breaker = Breaker(self.queue)
        self._reader = messages.Reader(self.queue, self.owner)

    def claim(self, limit: int) -> list[messages.Claim]:
        """Record what waits to be, and claim up to ``limit`` messages, in one transaction."""
        lease = policy(self.queue).lease_seconds
        if not self._done:
            return retry_transient(lambda: self._reader.claim(limit, lease))
        try:
            with prepared.together():
                completed = begin_complete_handled(self._done)
                claims = self._reader.begin_claim(limit, lease)
                crash_points.reach("consumer.settling")
            crash_points.reach("consumer.recorded")
        except Error as error:
            self._record_singly(error)
            return []
        self._count_completed({row[0] for row in completed()})
        return claims()

    def settle(self, claim: messages.Claim, handled: Handled) -> Settled | None:
        """Record a failure at once; a success soon, with others (None)."""
        if isinstance(handled.outcome, Failed):
            crash_points.reach("consumer.failed")
            settled = retry_transient(lambda: settlement.settle(claim, handled, policy(self.queue)))
            crash_points.reach("consumer.buried")
            return settled
        self._oldest = self._oldest if self._done else time.monotonic()
        self._done.append((claim, handled))
        return None

    def waited_enough(self) -> bool:
        """Whether a success has waited long enough to be recorded now."""
        return bool(self._done) and time.monotonic() - self._oldest > LONGEST_WAIT

    def record(self) -> None:
        """Record the successes that wait."""
        if not self._done:
            return
        try:
            self._count_completed(messages.complete_handled(self._done))
        except Error as error:
            self._record_singly(error)

    def unrecorded(self) -> list[messages.Claim]:
        """The claims whose successes wait."""
        return [claim for claim, _ in self._done]

    def _count_completed(self, ids: set[int]) -> None:
        self.counts[Settled.COMPLETED] += len(ids)
        self.counts[Settled.LOST] += len(self._done) - len(ids)
        self._done.clear()

    def _record_singly(self, error: Error) -> None:
        """One record that the database refuses must not hold up the others; it is that message's failure."""
        if connection_lost(error):
            raise error
        while self._done:
            claim, handled = self._done[0]
            self.counts[_settle_or_fail(claim, handled, policy(self.queue))] += 1
            self._done.pop(0)


def _settle_or_fail(claim: messages.Claim, handled: Handled, known: failures.QueuePolicy) -> Settled:
    try:
        return settlement.settle(claim, handled, known)
    except Error as error:
        if isinstance(handled.outcome, Failed) or not refused(error):
            raise
        return settlement.settle(claim, not_stored(handled, error), known)
