"""The contract of a queue system: one class a system, all tried by the same tests.

A system says what it can do by flags, and nobody asks which system it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class QueueMetrics:
    """One queue now. ``oldest_due_seconds``: age of the oldest claimable message, None when there is none.

    ``at_least``: which of the three numbers may be more than was counted.
    """

    name: str
    visible: int
    in_flight: int
    scheduled: int
    oldest_due_seconds: float | None
    at_least: tuple[str, ...] = ()


class Source(ABC):
    """Messages on the queues of one system. ``queue`` is the name that the system itself uses.

    All times are the system's own; ``lease_seconds`` and ``delay_seconds`` are durations. Methods that take
    messages take those of one queue. Raises UnknownQueue for a queue that is not there, InvalidMessage for
    what cannot be sent, TransportUnavailable while the system does not answer.
    """

    # the part before the colon in the names of its queues; empty: our own
    prefix: ClassVar[str]
    # its changes are part of our database's transaction
    commits_with_us: ClassVar[bool] = False
    # ``send`` with the same ``dedupe_key`` sends once
    deduplicates: ClassVar[bool] = False
    # ``send`` with the same ``dedupe_key`` may send twice, and both carry it, for their consumers to see
    marks_repeats: ClassVar[bool] = False
    # ``send`` takes any bytes, not only JSON, and any headers that JSON can hold
    takes_bytes: ClassVar[bool] = False
    # the reason why its messages cannot be claimed here; empty: they can
    not_claimed: ClassVar[str] = ""
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
    # its queues are dead-letter queues: what comes to them becomes dead letters here, and leaves them
    takes_over: ClassVar[bool] = False
    # ``claim_chosen`` claims of some event types only
    chooses: ClassVar[bool] = False

    @abstractmethod
    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, str] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Put one message on the queue. Return its id. A key is given where the source ``deduplicates`` or
        ``marks_repeats``.
        """

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

    @abstractmethod
    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return the ids of the messages that have not left the queue."""

    def tells_of(self, message_id: str) -> bool:
        """Tell whether ``still_there`` knows when this message is completed over there."""
        return True

    @abstractmethod
    def metrics(self, queue: str) -> QueueMetrics:
        """Return the queue's figures."""

    def check(self, queue: str) -> None:
        """Raise UnknownQueue for a queue that is not there, InvalidQueue for one not to be attached."""
        self.metrics(queue)

    def counts_deliveries(self, queue: str) -> bool:
        """Tell whether the system counts how often each message of the queue was claimed."""
        return True

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

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        """Close this thread's connections; the next call opens them again."""

    def name_of(self, queue: str) -> str:
        """Return the queue's name in our tables, on our pages and in our commands."""
        return f"{self.prefix}:{queue}" if self.prefix else queue

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
