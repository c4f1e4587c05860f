"""Who claims: our consumer with its handlers, and consumers of others' with our functions."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from dlqconsole.consuming import settlement
from dlqconsole.core import messages
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.lifecycle.failures import Backoff, QueuePolicy
from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from dlqconsole.core.messages import ClaimResult
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.identities import handle_message, identify_message
from dlqconsole.transports.native.source import NativeSource
from dlqconsole.transports.source import Delivery as QueueDelivery
from dlqconsole.transports.source import Source
from tests.histories.failing_handlers import Failure, plan
from tests.histories.ledger import Delivery
from tests.histories.rules.base import CATEGORIES, KEPT, OUTCOMES, PLACES, QUEUES, History, at
from tests.plain_sql import value

POLICY = QueuePolicy(max_retries=2, backoff=Backoff(60.0, 3600.0))
BURIED = "SELECT dlq_event_id FROM dlq_attempts WHERE message = %s ORDER BY id DESC LIMIT 1"
CRASHED = "ConsumerCrashed: its consumer stopped {} times while it held this message"
DIED = Failure("the consumer consumer stopped while holding this message", "", "")


class Consumers(History):
    """Messages are claimed, and settled, or forgotten by who has died."""

    def __init__(self) -> None:
        super().__init__()
        self.native = NativeSource()
        # each claim that somebody made and has not settled, also those that he has lost
        self.claims: list[tuple[Source, QueueDelivery, Delivery]] = []

    def take(self, source: Source, queue: str, limit: int) -> None:
        name = source.name_of(queue)
        for message in source.claim(queue, limit, "consumer", 60):
            one = self.ledger.deliveries[name, int(message.id)]
            assert one.is_here
            one.attempts += 1
            self.taken_over(source, one)
            assert message.attempts == one.attempts
            one.holder = message
            self.claims.append((source, message, one))

    def taken_over(self, source: Source, one: Delivery) -> None:
        """Whoever held it until now has died, and that is told where it is counted."""
        if source.counts_crashes and one.holder is not None:
            one.told.append(DIED)

    def claim_at(self, place: int) -> tuple[Source, QueueDelivery, Delivery, bool]:
        """A claim that is settled now, and whether it is still good."""
        source, message, one = self.claims.pop(place % len(self.claims))
        return source, message, one, one.holder is message

    def native_claim_at(self, place: int):
        """The same, of a queue of ours; None where there is none."""
        ours = [claim for claim in self.claims if claim[0] is self.native]
        if not ours:
            return None
        claim = at(place, ours)
        self.claims.remove(claim)
        return claim[1].receipt, claim[2], claim[2].holder is claim[1]

    def queue_at(self, place: int) -> str:
        """A queue of ours on which something stands."""
        return at(place, self.ledger.standing_on(*QUEUES)).queue

    # our consumer

    @precondition(lambda self: self.ledger.standing_on(*QUEUES))
    @rule(place=PLACES, limit=st.integers(1, 3))
    def claim_some(self, place, limit):
        self.take(self.native, self.queue_at(place), limit)

    @precondition(lambda self: self.ledger.standing_on(*QUEUES))
    @rule(place=PLACES, outcome=OUTCOMES)
    def consume_one(self, place, outcome):
        self.consume(self.native, self.queue_at(place), outcome, 1)

    @precondition(lambda self: self.ledger.standing_on(*QUEUES))
    @rule(place=PLACES, outcome=OUTCOMES)
    def consume_several(self, place, outcome):
        self.consume(self.native, self.queue_at(place), outcome)

    def consume(self, source: Source, queue: str, outcome: str | None, limit: int = 4) -> None:
        """Claim one after the other and settle it, as a consumer does."""
        before = len(self.claims)
        for _ in range(limit):
            self.take(source, queue, 1)
            if len(self.claims) == before:
                break
            self.settle(before, outcome)

    @precondition(lambda self: self.claims)
    @rule(place=PLACES, outcome=OUTCOMES)
    def settle(self, place, outcome):
        source, message, one, held = self.claim_at(place)
        known_as = None if source is self.native else source.name_of(message.queue)
        plan.begin(outcome)
        if settlement.has_killed(source, message, POLICY):
            settled, failure = self.quarantine(source, message, known_as)
        else:
            handled = handle_message(message, known_as)
            settled = settlement.settle(source, message, handled, POLICY)
            failure = plan.said[0] if plan.said else self.as_failure(handled.outcome)
        assert (settled != ClaimResult.LOST) == held
        if held:
            self.note(one, settled, failure)

    def quarantine(self, source: Source, message: QueueDelivery, known_as: str | None):
        said = (
            Failure(CRASHED.format(message.crashes), "UNKNOWN", "")
            if source.counts_crashes
            else Failure(
                f"DeliveriesExhausted: read {message.attempts - 1} times and never completed", "UNKNOWN", ""
            )
        )
        if unhandled := settlement.missing_handler(message, known_as):
            put_back = source.put_back([message], unhandled.event_type, delay_seconds=60)
            return (ClaimResult.PUT_BACK if put_back else ClaimResult.LOST), said
        return settlement.quarantine(source, message, known_as), said

    def as_failure(self, outcome) -> Failure | None:
        """What was found before any handler ran."""
        return (
            Failure(outcome.reason, outcome.category, outcome.stacktrace)
            if isinstance(outcome, Failed)
            else None
        )

    def note(self, one: Delivery, settled: ClaimResult, failure: Failure | None) -> None:
        """What the ledger says after a claim that was good."""
        one.holder = None
        match settled:
            case ClaimResult.COMPLETED:
                self.ledger.complete(one, by_a_handler=True)
                self.archived(one)
            case ClaimResult.PUT_BACK:
                one.attempts -= 1
            case ClaimResult.LATER:
                one.told.append(failure)
            case ClaimResult.DEAD:
                self.buried(one, failure)

    def archived(self, one: Delivery) -> None:
        if one.queue == KEPT:
            self.ledger.archived[one.id] = one.content

    def buried(self, one: Delivery, failure: Failure) -> None:
        number = value(BURIED, one.name)
        self.ledger.bury(one, failure, number, self.status_of(number))

    # others, with our functions

    @precondition(lambda self: self.claims)
    @rule(place=PLACES, category=st.sampled_from(CATEGORIES), stays=st.booleans())
    def report_a_failure(self, place, category, stays):
        if not (claim := self.native_claim_at(place)):
            return
        receipt, one, held = claim
        failure = plan.failure(category)
        try:
            if stays:
                messages.retry_later(
                    receipt, 60.0, failure.reason, category=category, stacktrace=failure.trace
                )
            else:
                said = Failed(failure.reason, category, "", failure.trace)
                identity = identify_message(self.native_message(receipt), None)
                messages.dead_letter(receipt, identity, said, S.PENDING)
        except LeaseLost:
            assert not held
            return
        assert held
        self.note(one, ClaimResult.LATER if stays else ClaimResult.DEAD, failure)

    def native_message(self, receipt) -> QueueDelivery:
        return QueueDelivery(
            str(receipt.id), receipt.queue, receipt.payload, receipt.payload_raw, receipt.headers, 1, receipt
        )

    @precondition(lambda self: self.claims)
    @rule(place=PLACES, later=st.booleans())
    def give_back(self, place, later):
        if not (claim := self.native_claim_at(place)):
            return
        receipt, one, held = claim
        given = messages.snooze([receipt], 60.0) if later else messages.release([receipt])
        assert bool(given) == held
        if held:
            one.holder = None
            one.attempts -= 1

    @precondition(lambda self: self.claims)
    @rule(place=PLACES, keep=st.booleans())
    def complete_without_a_word(self, place, keep):
        if not (claim := self.native_claim_at(place)):
            return
        receipt, one, held = claim
        done = messages.archive([receipt]) if keep else messages.complete([receipt])
        assert bool(done) == held
        if held:
            self.ledger.complete(one, by_a_handler=False)
            if keep:
                self.ledger.archived[one.id] = one.content
            else:
                self.archived(one)

    @precondition(lambda self: self.ledger.standing_on(*QUEUES))
    @rule(place=PLACES, limit=st.integers(1, 2))
    def pop(self, place, limit):
        queue = self.queue_at(place)
        for claim in messages.pop(queue, limit):
            one = self.ledger.deliveries[queue, claim.id]
            self.taken_over(self.native, one)
            self.ledger.complete(one, by_a_handler=False)
