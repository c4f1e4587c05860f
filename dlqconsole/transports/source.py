"""The contract of a system from which our consumers claim: one class a system, one suite of tests for all."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dlqconsole.core import successes
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import HandlerResult, Identity
from dlqconsole.core.lifecycle.failures import QueuePolicy, step_after
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages import TypeChoice
from dlqconsole.core.named_sql import execute
from dlqconsole.core.successes import Success
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.outcomes import Failed, Succeeded
from dlqconsole.transports import records
from dlqconsole.transports.dead_letters import NewDeadLetter, headers_text, keep, keep_once
from dlqconsole.transports.revivals import revival
from dlqconsole.transports.sql import sql
from dlqconsole.transports.target import Target

DEAD_LETTER_LEASE_SECONDS = 60.0


@dataclass(slots=True, eq=False)
class Delivery:
    """A delivery of a message: a consumer holds it until its lease runs out. Compared by identity.

    ``queue`` is the name that its own system uses. ``payload`` is JSON text, or None where only the exact
    bytes ``payload_raw`` are there. ``attempts`` counts the claims so far, this one included. ``receipt``
    proves the claim; every source has its own. ``max_retries``: the message's own limit, if it has one.
    ``crashes``: how often a consumer died with it, where its source counts them.
    """

    id: str
    queue: str
    payload: str | None
    payload_raw: bytes | None
    headers: Mapping[str, Any]
    attempts: int
    receipt: Any
    max_retries: int | None = None
    crashes: int = 0


# A message and the result of its handler.
type Completion = tuple[Delivery, HandlerResult]


class Source(Target):
    """Messages on the queues of one system. ``lease_seconds`` is a duration.

    Methods that take messages take those of one queue.
    """

    # ``claim_exhausted`` finds what was claimed too often
    reports_exhausted: ClassVar[bool] = False
    # each message has a lease of its own, which ``extend`` lengthens
    leases_per_message: ClassVar[bool] = True
    # ``Delivery.crashes`` is counted, so that a killer differs from a message that merely failed often
    counts_crashes: ClassVar[bool] = False
    # sending to it wakes sleeping consumers
    wakes_consumers: ClassVar[bool] = False
    # a message that is put back records the missing handler; else only its consumer knows
    notes_unhandled: ClassVar[bool] = False
    # ``exchange`` finishes and claims in one round trip
    exchanges: ClassVar[bool] = False
    # ``move`` takes a whole queue over to one of ours
    moves: ClassVar[bool] = False
    # ``claim_chosen`` claims of some event types only
    chooses: ClassVar[bool] = False

    @abstractmethod
    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        """Claim up to ``limit`` visible messages in order, those of dead consumers included."""

    @abstractmethod
    def extend(self, messages: Sequence[Delivery], lease_seconds: float) -> set[str]:
        """Lengthen the leases that are still held. Return their messages' ids."""

    @abstractmethod
    def complete(self, messages: Sequence[Delivery]) -> set[str]:
        """Remove held messages. Return their ids; the others were lost to another consumer."""

    @abstractmethod
    def release(self, messages: Sequence[Delivery], *, delay_seconds: float = 0) -> set[str]:
        """Make held messages claimable again after ``delay_seconds``. Return their ids."""

    def claim_exhausted(
        self, queue: str, max_deliveries: int, limit: int, owner: str, lease_seconds: float
    ) -> list[Delivery]:
        """Claim visible messages that were claimed more often than that, if it ``reports_exhausted``."""
        raise NotImplementedError

    def claim_chosen(
        self, queue: str, limit: int, owner: str, lease_seconds: float, choice: TypeChoice
    ) -> list[Delivery]:
        """Claim messages of some event types, if the source ``chooses``."""
        raise NotImplementedError

    def move(self, queue: str, to: str, *, actor: str, reason: str) -> int:
        """Move what nobody holds to our queue ``to``, if the source ``moves``. Return the number."""
        raise NotImplementedError

    def exchange(
        self, completions: Sequence[Completion], queue: str, limit: int, owner: str, lease_seconds: float
    ) -> tuple[set[str], list[Delivery]]:
        """Finish and claim in one transaction, if the source ``exchanges``. Return what both return."""
        raise NotImplementedError

    def finish(self, completions: Sequence[Completion]) -> set[str]:
        """Keep handlers' records and remove their messages. Return the ids that were still held."""
        messages = [message for message, _result in completions]
        if self.commits_with_us:
            with transaction.atomic():
                ids = self.complete(messages)
                self._keep([(message, result) for message, result in completions if message.id in ids])
            return ids
        # Two systems: the records first. They may be written twice; a removed message cannot be run again.
        self._keep(completions)
        return self.complete(messages)

    def fail(self, message: Delivery, identity: Identity, failure: Failed, policy: QueuePolicy) -> bool:
        """Try it again later, or make it a dead letter (True), as the policy says. Raises LeaseLost."""
        step = step_after(
            failure,
            policy,
            message=f"{self.name_of(message.queue)}/{message.id}",
            revived_from=self.revived_from(message),
            attempts=message.attempts,
            max_retries=message.max_retries,
            crashes=message.crashes if self.counts_crashes else None,
        )
        if isinstance(step, DeadLetterStatus):
            self.dead_letter(message, identity, failure, step)
            return True
        self.retry_later(message, step, failure)
        return False

    def retry_later(self, message: Delivery, delay_seconds: float, failure: Failed) -> None:
        """Leave the message on its queue for another attempt; the failed one is kept. Raises LeaseLost."""
        with transaction.atomic():
            if not self.release([message], delay_seconds=delay_seconds):
                raise lease_lost(message)
            keep_failed(self.name_of(message.queue), message.id, failure, revival(message.headers))

    def put_back(self, messages: Sequence[Delivery], event_type: str, *, delay_seconds: float) -> set[str]:
        """Release messages without a handler here as they were, the claim not counted where that goes."""
        return self.release(messages, delay_seconds=delay_seconds)

    def leave(self, messages: Sequence[Delivery], event_type: str, *, delay_seconds: float) -> set[str]:
        """Put back messages that a breaker stops, as they were. Return the ids that were held."""
        return self.put_back(messages, event_type, delay_seconds=delay_seconds)

    def is_first(self, message: Delivery) -> bool:
        """Tell whether nobody has tried its event before."""
        return message.attempts <= 1 and not self.is_revived(message)

    def is_revived(self, message: Delivery) -> bool:
        """Tell whether it is a dead letter that was put back on its queue."""
        return self.revived_from(message) is not None

    def revived_from(self, message: Delivery) -> int | None:
        """Return the dead letter that was put back on its queue as this message; None for any other."""
        pair = revival(message.headers)
        return pair and pair[0]

    def dead_letter(
        self, message: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
    ) -> int:
        """Keep the message in ``dlq_events`` and remove it from its queue. Return the dead letter's id.

        Nothing is lost and nothing is kept twice, whatever dies in between. Raises LeaseLost.
        """
        letter = dead_letter_of(message, identity, failure, status, f"claim {message.attempts}")
        name = self.name_of(message.queue)
        if self.commits_with_us:
            with transaction.atomic():
                self._remove(message)
                return keep(name, [letter])[message.id]
        if not self.extend([message], DEAD_LETTER_LEASE_SECONDS):
            raise lease_lost(message)
        letter_id = keep_once(name, letter, f"{name}/{message.id}")
        self._remove(message)
        return letter_id

    def seconds_until_due(self) -> float | None:
        """Return the seconds until a scheduled message is due; None: there is none, or nobody knows."""
        return None

    def _keep(self, completions: Sequence[Completion]) -> None:
        done = [
            (result, Success(result.identity, message.payload, message.payload_raw, self.is_revived(message)))
            for message, result in completions
            if isinstance(result.outcome, Succeeded)
        ]
        records.keep(done)
        successes.keep([success for _result, success in done])

    def _remove(self, message: Delivery) -> None:
        if not self.complete([message]):
            raise lease_lost(message)


def dead_letter_of(
    message: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus, worker: str
) -> NewDeadLetter:
    """Return the message as the dead letter that it becomes; ``worker`` is who gave it up."""
    return NewDeadLetter(
        message_id=message.id,
        payload=message.payload,
        payload_raw=message.payload_raw,
        headers=headers_text(message.headers),
        identity=identity,
        failure=failure,
        status=status,
        revival=revival(message.headers),
        worker=worker,
        attempts=message.attempts,
    )


def lease_lost(message: Delivery) -> LeaseLost:
    """Return the error for an outcome that came too late."""
    return LeaseLost(f"The lease on message {message.id} ran out; its outcome was not recorded.")


def keep_failed(queue: str, message_id: str, failure: Failed, revival: tuple[int, int] | None) -> None:
    """Keep one failed attempt on a message, in the caller's transaction.

    ``queue`` is the name with its system. ``revival``: the dead letter that the message was revived from, and
    which revival it is; without one the attempt follows the message into the dead letter that it may become.
    """
    values = {
        "queue": queue,
        "message_id": message_id,
        "dlq_event_id": revival and revival[0],
        "category": failure.category,
        "reason": failure.reason,
        "stacktrace": failure.stacktrace,
    }
    execute(sql("attempts.keep_failed"), values)
