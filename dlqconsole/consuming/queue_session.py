"""A consumer's session on one queue: messages come in, outcomes go out, several at a time."""

import logging
import time
from collections import Counter, deque
from collections.abc import Container
from dataclasses import dataclass, field

from django.db import Error

from dlqconsole.consuming import settlement
from dlqconsole.consuming.settlement import storage_failure
from dlqconsole.consuming.unhandled_backoff import UnhandledBackoff
from dlqconsole.core.handling import HandlerResult, Unhandled
from dlqconsole.core.lifecycle.failures import QueuePolicy
from dlqconsole.core.messages import ClaimResult, TypeChoice
from dlqconsole.core.transient_errors import connection_lost, is_refused, retry_transient
from dlqconsole.processing import crash_points
from dlqconsole.processing.handlers import no_handler_for
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.policies import policy_of
from dlqconsole.transports.source import Completion, Delivery, Source

log = logging.getLogger(__name__)

# The longest wait of a success for others before it is recorded. If the consumer is killed in between, its
# messages are handled again: their idempotency keys are for that.
LONGEST_WAIT = 0.1
# The most messages claimed at once, while no claimed message has a handler here.
WIDEST = 500
# After a look that found only messages that a breaker stops, rest so many times as long.
LOOK_SHARE = 20


@dataclass(slots=True)
class QueueSession:
    """Claims from a queue and records what handlers made of them. One thread's.

    ``name`` is the queue's in our tables, ``queue`` its name in its own system. ``known_as``: the source of
    events that do not name one; None on queues of our own. ``in_hand`` is what was claimed and not settled
    yet, the next to be handled first.
    """

    name: str
    source: Source
    queue: str
    owner: str
    counts: Counter[ClaimResult] = field(default_factory=Counter)
    in_hand: deque[Delivery] = field(default_factory=deque)
    # met, no handler here, and not put back yet
    without_handler: list[tuple[Delivery, str]] = field(default_factory=list)
    unhandled_backoff: UnhandledBackoff = field(default_factory=UnhandledBackoff)
    # met, stopped by a breaker, and not put back yet; and for how many seconds it may be
    behind_breaker: list[tuple[Delivery, str, float]] = field(default_factory=list)
    breaker_backoff: UnhandledBackoff = field(default_factory=UnhandledBackoff)
    # the one that tries whether an outage is over
    probe: Delivery | None = None
    # until then a look for what may be claimed, or tried, would only cost
    rest_until: float = 0.0
    probe_rest_until: float = 0.0
    # so many times the usual number are claimed at once, while nothing but such is met
    width: int = 1
    # its share beside other queues, what is left of its turn, and what one of its last messages took of it
    weight: int = 1
    credit: float = 0.0
    cost: float = 1.0
    known_as: str | None = field(init=False)
    # of the last claim
    policy: QueuePolicy = field(default_factory=QueuePolicy)
    _successes: list[Completion] = field(default_factory=list)
    _oldest: float = 0.0

    def __post_init__(self) -> None:
        self.known_as = self.name if self.source.prefix else None

    def read_policy(self) -> QueuePolicy:
        """Return the queue's policy as it is now. Raises UnknownQueue when it is attached no more."""
        self.policy = policy_of(self.name)
        return self.policy

    def claim(self, limit: int, lease_seconds: float) -> list[Delivery]:
        """Record waiting successes and claim up to ``limit`` messages, in one transaction where that goes.

        None of a paused queue: one of ours knows by itself.
        """
        if self._successes and not self.source.exchanges:
            self.record()
        if self.policy.paused:
            return []
        if not self._successes:
            return retry_transient(lambda: self.source.claim(self.queue, limit, self.owner, lease_seconds))
        try:
            ids, messages = self.source.exchange(
                self._successes, self.queue, limit, self.owner, lease_seconds
            )
        except Error as error:
            self._record_singly(error)
            return []
        self._count_completed(ids)
        return messages

    def claim_chosen(self, limit: int, seconds: float, choice: TypeChoice) -> tuple[list[Delivery], float]:
        """Claim messages of some event types. Also return until when to rest, where there were none."""
        self.record()
        start = time.monotonic()
        messages = retry_transient(
            lambda: self.source.claim_chosen(self.queue, limit, self.owner, seconds, choice)
        )
        end = time.monotonic()
        return messages, 0.0 if messages else end + (end - start) * LOOK_SHARE

    def keep(self, message: Delivery, result: HandlerResult) -> None:
        """Keep a success, to record it soon, with others."""
        self._oldest = self._oldest if self._successes else time.monotonic()
        self._successes.append((message, result))

    def fail(self, message: Delivery, result: HandlerResult) -> ClaimResult:
        """Record a failure at once."""
        crash_points.reach("consumer.failed")
        policy = self.read_policy()
        claim_result = retry_transient(lambda: settlement.settle(self.source, message, result, policy))
        crash_points.reach("consumer.buried")
        return claim_result

    def leave(self, message: Delivery, outcome: Unhandled) -> None:
        """Keep a message without a handler here, to put it back with others once all were looked at."""
        self.without_handler.append((message, outcome.event_type))

    def stop(self, message: Delivery, event_type: str, seconds: float) -> None:
        """Keep a message that a breaker stops, to put it back for ``seconds`` where claims cannot skip it."""
        self.behind_breaker.append((message, event_type, seconds))

    def put_back_stopped(self) -> None:
        """Put back messages that a breaker stops, where they were if claims can pass over them."""
        by_type: dict[str, list[tuple[Delivery, float]]] = {}
        for message, event_type, seconds in self.behind_breaker:
            by_type.setdefault(event_type, []).append((message, seconds))
        for event_type, messages in by_type.items():
            self._leave(event_type, [message for message, _seconds in messages], max(s for _m, s in messages))
        self.behind_breaker.clear()

    def _leave(self, event_type: str, messages: list[Delivery], seconds: float) -> None:
        if seconds:
            seconds = max(seconds, self.breaker_backoff.pause(event_type, handled_elsewhere=True))
        ids = retry_transient(lambda: self.source.leave(messages, event_type, delay_seconds=seconds))
        self.breaker_backoff.note(ids, event_type, seconds)

    def widen(self, batch: int) -> None:
        """Claim twice as many at once: the last claim met only messages that cannot be handled here."""
        self.width = min(self.width * 2, max(WIDEST // batch, 1))

    def narrow(self) -> None:
        """Claim as many as usual."""
        self.width = 1

    def put_back(self, handled_elsewhere: Container[str]) -> None:
        """Put back messages without a handler here, as they were: for another consumer, or for later."""
        by_type: dict[str, list[Delivery]] = {}
        for message, event_type in self.without_handler:
            by_type.setdefault(event_type, []).append(message)
        for event_type, messages in by_type.items():
            self._put_back(event_type, messages, event_type in handled_elsewhere)
        self.without_handler.clear()

    def _put_back(self, event_type: str, messages: list[Delivery], handled_elsewhere: bool) -> None:
        if not self.unhandled_backoff.has_met(event_type):
            log.warning("%s: %s: its messages are put back", self.name, no_handler_for(event_type))
        seconds = self.unhandled_backoff.pause(event_type, handled_elsewhere=handled_elsewhere)
        ids = retry_transient(lambda: self.source.put_back(messages, event_type, delay_seconds=seconds))
        self.unhandled_backoff.note(ids, event_type, seconds)
        self.counts[ClaimResult.PUT_BACK] += len(ids)
        self.counts[ClaimResult.LOST] += len(messages) - len(ids)

    def waited_enough(self) -> bool:
        """Tell whether a success has waited long enough to be recorded now."""
        return bool(self._successes) and time.monotonic() - self._oldest > LONGEST_WAIT

    def record(self) -> None:
        """Record the waiting successes."""
        if not self._successes:
            return
        try:
            self._count_completed(self.source.finish(self._successes))
        except Error as error:
            self._record_singly(error)

    def unrecorded(self) -> list[Delivery]:
        """Return the messages whose successes wait to be recorded."""
        return [message for message, _ in self._successes]

    def _count_completed(self, ids: set[str]) -> None:
        self.counts[ClaimResult.COMPLETED] += len(ids)
        self.counts[ClaimResult.LOST] += len(self._successes) - len(ids)
        self._successes.clear()

    def _record_singly(self, error: Error) -> None:
        """Record one by one: a record that the database refuses fails its own message only."""
        if connection_lost(error):
            raise error
        policy = self.read_policy()
        while self._successes:
            message, result = self._successes[0]
            self.counts[_settle_or_fail(self.source, message, result, policy)] += 1
            self._successes.pop(0)


def _settle_or_fail(
    source: Source, message: Delivery, result: HandlerResult, policy: QueuePolicy
) -> ClaimResult:
    try:
        return settlement.settle(source, message, result, policy)
    except Error as error:
        if isinstance(result.outcome, Failed) or not is_refused(error):
            raise
        return settlement.settle(source, message, storage_failure(result, error), policy)
