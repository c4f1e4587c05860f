"""Our own queues as a source: the engine does the work, in one statement or one round trip where it can."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import psycopg

from dlqconsole.core import messages
from dlqconsole.core.errors import InvalidMessage
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.failures import QueuePolicy
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages import MessageClaim, TypeChoice
from dlqconsole.core.messages.leases import lease_keys
from dlqconsole.core.sql import sql
from dlqconsole.core.transient_errors import sentence
from dlqconsole.engine.database import sessions
from dlqconsole.engine.models import Message as Row
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.processing import crash_points
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.sending import sendable_delay
from dlqconsole.transports.source import Completion, Delivery, Source
from dlqconsole.transports.target import QueueMetrics


class NativeSource(Source):
    """``core.messages`` as a source. The receipt of a message is its claim.

    Every consumer's chores make scheduled messages claimable when they are due, once a second. A dedupe key
    holds as long as its message is on the queue.
    """

    prefix = ""
    commits_with_us = True
    counts_crashes = True
    wakes_consumers = True
    notes_unhandled = True
    exchanges = True
    chooses = True

    def __init__(self) -> None:
        self._readers: dict[tuple[str, str], messages.QueueReader] = {}
        self._beating: psycopg.Connection[tuple[Any, ...]] | None = None

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, str] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Put one message on the queue, in the caller's transaction. Return its id."""
        message_id = messages.send(queue, payload, headers, delay=delay_seconds, dedupe_key=dedupe_key)
        if message_id is None:
            raise InvalidMessage(f"A message with the dedupe key {dedupe_key!r} is on the queue already.")
        return str(message_id)

    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        """Claim up to ``limit`` due messages, in order, from where the last claim ended."""
        return list(map(_message, self._reader(queue, owner).claim(limit, lease_seconds)))

    def claim_chosen(
        self, queue: str, limit: int, owner: str, lease_seconds: float, choice: TypeChoice
    ) -> list[Delivery]:
        """Claim messages of some event types. A probe may stand anywhere, so it is sought from the start."""
        reader = messages.QueueReader(queue, owner) if choice.only else self._reader(queue, owner)
        return list(map(_message, reader.claim(limit, lease_seconds, choice)))

    def exchange(
        self, completions: Sequence[Completion], queue: str, limit: int, owner: str, lease_seconds: float
    ) -> tuple[set[str], list[Delivery]]:
        """Record completions and claim more: one transaction, one round trip."""
        ids, claims = messages.exchange(
            self._reader(queue, owner), limit, lease_seconds, handled=_with_claims(completions)
        )
        crash_points.reach("consumer.recorded")
        return _texts(ids), list(map(_message, claims))

    def finish(self, completions: Sequence[Completion]) -> set[str]:
        """Remove handled messages, keep their records, heal revived dead letters: one statement."""
        return _texts(messages.complete_handled(_with_claims(completions)))

    def extend(self, held_messages: Sequence[Delivery], lease_seconds: float) -> set[str]:
        """Lengthen the held leases, on a connection beside Django's: a handler may keep that one busy."""
        values = lease_keys(_claims(held_messages)) | {"lease": lease_seconds}
        try:
            if self._beating is None:
                self._beating = sessions.own_connection()
            return {str(row[0]) for row in self._beating.execute(sql("messages.extend"), values)}
        except psycopg.Error as error:
            self.close()
            raise TransportUnavailable(f"The database did not lengthen leases: {sentence(error)}") from error

    def complete(self, held_messages: Sequence[Delivery]) -> set[str]:
        """Remove held messages, without a record. Handled messages are finished instead."""
        return _texts(messages.complete(_claims(held_messages)))

    def release(self, held_messages: Sequence[Delivery], *, delay_seconds: float = 0) -> set[str]:
        """Make held messages claimable again, the attempt not counted."""
        return _texts(messages.snooze(_claims(held_messages), sendable_delay(delay_seconds)))

    def put_back(
        self, held_messages: Sequence[Delivery], event_type: str, *, delay_seconds: float
    ) -> set[str]:
        """Put messages back as they were, for later, or until a consumer with the handler calls them."""
        return _texts(messages.put_back(_claims(held_messages), event_type, delay_seconds))

    def leave(self, held_messages: Sequence[Delivery], event_type: str, *, delay_seconds: float) -> set[str]:
        """Give messages back where they stood: the next claims pass over them."""
        return self.release(held_messages, delay_seconds=delay_seconds)

    def revived_from(self, message: Delivery) -> int | None:
        """Return the dead letter that was put back on its queue as this message; None for any other."""
        letter_id: int | None = message.receipt.dlq_event_id
        return letter_id

    def fail(self, message: Delivery, identity: Identity, failure: Failed, policy: QueuePolicy) -> bool:
        """Try the message again later, or make it a dead letter (True): the queue's own policy decides."""
        return messages.fail(message.receipt, identity, failure) is not None

    def dead_letter(
        self, message: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
    ) -> int:
        """Move the message to the dead letters, in one statement. Raises LeaseLost."""
        return messages.dead_letter(message.receipt, identity, failure, status)

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return the ids of the messages that are still on the queue."""
        return _texts(Row.objects.filter(queue=queue, id__in=list(ids)).values_list("id", flat=True))

    def metrics(self, queue: str) -> QueueMetrics:
        """Count the queue's messages. A queue that nobody made is an empty one."""
        row = queue_metrics.live_of(queue)
        return QueueMetrics(
            queue, row["visible"], row["in_flight"], row["scheduled"], row["oldest_due_seconds"]
        )

    def seconds_until_due(self) -> float | None:
        """Return the seconds until the next message of any queue of ours is due."""
        return messages.seconds_until_due()

    def close(self) -> None:
        """Close the connection that lengthens leases."""
        if self._beating is not None:
            self._beating.close()
        self._beating = None

    def _reader(self, queue: str, owner: str) -> messages.QueueReader:
        reader = self._readers.get((queue, owner))
        if reader is None:
            reader = self._readers[queue, owner] = messages.QueueReader(queue, owner)
        return reader


def _message(claim: MessageClaim) -> Delivery:
    return Delivery(
        str(claim.id),
        claim.queue,
        claim.payload,
        claim.payload_raw,
        claim.headers,
        claim.retry_count,
        claim,
        claim.max_retries,
        claim.crash_count,
    )


def _claims(held_messages: Sequence[Delivery]) -> list[MessageClaim]:
    return [message.receipt for message in held_messages]


def _with_claims(completions: Sequence[Completion]) -> list[tuple[MessageClaim, Any]]:
    return [(message.receipt, result) for message, result in completions]


def _texts(ids: Iterable[int]) -> set[str]:
    return set(map(str, ids))
