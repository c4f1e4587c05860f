"""Dead-letter queues of one RabbitMQ: what comes to them is taken over, so that there is nothing to claim.

Revived messages go to the queue where they failed, by the default exchange: never to an exchange that gives
copies to others, too.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar
from uuid import uuid4

from amqp.exceptions import MessageNacked
from django.conf import settings

from dlqconsole.configuration.addresses import RabbitmqAddress
from dlqconsole.core.errors import InvalidMessage, InvalidQueue, UnknownQueue
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.rabbitmq.connection import ANSWER_SECONDS, Connections
from dlqconsole.transports.rabbitmq.dead_letter_queues import dead_letter_queues
from dlqconsole.transports.rabbitmq.management import Management
from dlqconsole.transports.rabbitmq.messages import outgoing
from dlqconsole.transports.sending import sendable_delay
from dlqconsole.transports.target import DeadLetterQueue, QueueMetrics, Target

LONGEST_NAME = 240  # with its system before it, as our tables keep it
# the length of ``forwarded_messages.remote_id``
REMOTE_ID_LIMIT = 255


class RabbitmqTarget(Target):
    """Publishes with confirms, at least once: what is sent again carries the same ``dlq_revive_id``."""

    prefix = "rabbitmq"
    marks_repeats = True
    takes_bytes = True
    takes_over = True
    not_claimed: ClassVar[str] = (
        "It is a dead-letter queue of RabbitMQ: each message on it becomes a dead letter here, and a revived"
        " one goes to the queue where it failed."
    )

    def __init__(self, url: str, management_url: str = "") -> None:
        address = RabbitmqAddress.from_url(url)
        self._connections, self._management = Connections(address), Management(address, management_url)

    @property
    def connections(self) -> Connections:
        """The connections, a thread's own each."""
        return self._connections

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, Any] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Publish one message, and wait until its queue has it. Return the name that we give it.

        What was taken over from this queue goes to the queue where it failed. Raises InvalidMessage for what
        that queue does not take, TransportUnavailable: then nobody knows whether it is there.
        """
        if sendable_delay(delay_seconds):
            raise InvalidMessage("RabbitMQ cannot hold a message back: it is there at once, or not yet sent.")
        going = outgoing(_check_name(queue), payload, headers or {}, dedupe_key)
        with self._connections.channel() as channel:
            channel.returned.clear()
            try:
                channel.basic_publish(
                    going.message, "", going.queue, mandatory=True, confirm_timeout=ANSWER_SECONDS
                )
            except MessageNacked:
                raise InvalidMessage(
                    f"RabbitMQ's queue {going.queue!r} refused the message: it is full, or not available."
                ) from None
            except (struct.error, ValueError, TypeError) as error:
                raise InvalidMessage(f"The headers cannot be sent: {error}.") from None
            if channel.returned:
                raise InvalidMessage(f"{self._connections} has no queue {going.queue!r}.")
        return f"{dedupe_key or uuid4().hex}@{going.queue}"[:REMOTE_ID_LIMIT]

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return all the ids: a queue of RabbitMQ does not tell what has left it."""
        return set(ids)

    def tells_of(self, message_id: str) -> bool:
        """Return False: nobody there says what becomes of a message."""
        return False

    def metrics(self, queue: str) -> QueueMetrics:
        """Count the messages that are still to be taken over. Raises UnknownQueue."""
        return QueueMetrics(queue, self._declared(queue).message_count, 0, 0, None)

    def check(self, queue: str) -> None:
        """Raise UnknownQueue for a queue that is not there, InvalidQueue for one that has consumers."""
        if consumers := self._declared(queue).consumer_count:
            raise InvalidQueue(
                f"RabbitMQ's queue {queue!r} has consumers of its own ({consumers:,} now): its messages would"
                " come here instead. Attach the queue behind its dead-letter exchange."
            )

    def dead_letter_queues(self, attached: Sequence[str]) -> list[DeadLetterQueue]:
        """Return where the queues of the virtual host dead-letter to, as the management API says."""
        return dead_letter_queues(self._management)

    def close(self) -> None:
        """Close this thread's connection; the next call opens another."""
        self._connections.close()

    def _declared(self, queue: str) -> Any:
        with self._connections.channel() as channel:
            return channel.queue_declare(_check_name(queue), passive=True)


_sources: dict[tuple[str, str], RabbitmqTarget] = {}


def from_settings() -> RabbitmqTarget:
    """Return the RabbitMQ of DLQ_RABBITMQ_URL. Raises TransportUnavailable if unset or wrong."""
    addresses = settings.DLQ_RABBITMQ_URL, settings.DLQ_RABBITMQ_MANAGEMENT_URL
    if not addresses[0]:
        raise TransportUnavailable("No RabbitMQ is configured: set DLQ_RABBITMQ_URL.")
    if addresses not in _sources:
        try:
            _sources[addresses] = RabbitmqTarget(*addresses)
        except ValueError as error:
            raise TransportUnavailable(f"DLQ_RABBITMQ_URL cannot be used. {error}") from None
    return _sources[addresses]


def _check_name(queue: str) -> str:
    """Return the name, if a queue may have it. Raises UnknownQueue."""
    if not 0 < len(queue.encode()) <= LONGEST_NAME or "\x00" in queue:
        raise UnknownQueue(f"A RabbitMQ queue's name has 1 to {LONGEST_NAME} bytes, not {queue[:60]!r}.")
    return queue
