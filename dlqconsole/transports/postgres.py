"""Our own queues behind the protocol: the engine does the work."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import orjson
from django.conf import settings

from dlqconsole.engine import messages
from dlqconsole.engine.consuming import settlement
from dlqconsole.engine.handling import Identity
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.messages import Claim
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.protocol import Delivery, QueueMetrics
from dlqconsole.transports.sending import sendable_delay


class PostgresTransport:
    """The protocol over ``engine.messages``. The engine's own consumer knows more of them."""

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, str] | None = None,
        *,
        delay_seconds: float = 0,
    ) -> int:
        """Put one message on the queue, in the caller's transaction; its id."""
        limit = settings.DLQ_MAX_PAYLOAD_BYTES
        sent = messages.send(queue, payload, headers, delay=delay_seconds, limit=limit)
        assert sent is not None  # noqa: S101  (only a dedupe key could have stopped it)
        return sent

    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        """Claim up to ``limit`` due messages, in order."""
        messages.stage()
        return [_delivery(claim) for claim in messages.claim(queue, limit, owner, lease_seconds)]

    def extend(self, deliveries: Sequence[Delivery], lease_seconds: float) -> set[int]:
        """Lengthen what is still held."""
        return messages.extend(_claims(deliveries), lease_seconds)

    def complete(self, deliveries: Sequence[Delivery]) -> set[int]:
        """Remove what is still held. Keeps no record: consumers with handlers use the engine's."""
        return messages.complete(_claims(deliveries))

    def release(self, deliveries: Sequence[Delivery], *, delay_seconds: float = 0) -> set[int]:
        """Make what is still held claimable again, its attempt not counted."""
        return messages.snooze(_claims(deliveries), sendable_delay(delay_seconds))

    def dead_letter(
        self, delivery: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
    ) -> int:
        """Message out, dead letter in, one statement. Raises LeaseLost."""
        return settlement.bury(_claim(delivery), identity, failure, status)

    def metrics(self, queue: str) -> QueueMetrics:
        """What stands on the queue. A queue that nobody made is an empty one."""
        found = queue_metrics.live_of(queue)
        return QueueMetrics(
            queue, found["visible"], found["in_flight"], found["scheduled"], found["oldest_due_seconds"]
        )


def _delivery(claim: Claim) -> Delivery:
    # what the engine must know at the end of the claim travels in the token
    token = [str(claim.lease_token), claim.group_key, claim.archives, claim.unlogged]
    return Delivery(
        id=claim.id,
        queue=claim.queue,
        payload=claim.payload,
        payload_raw=claim.payload_raw,
        headers=claim.headers,
        attempts=claim.retry_count,
        token=orjson.dumps(token).decode(),
    )


def _claims(deliveries: Sequence[Delivery]) -> list[Claim]:
    return [_claim(delivery) for delivery in deliveries]


def _claim(delivery: Delivery) -> Claim:
    token, group_key, archives, unlogged = orjson.loads(delivery.token)
    return Claim(
        id=delivery.id,
        queue=delivery.queue,
        payload=delivery.payload,
        payload_raw=delivery.payload_raw,
        headers=delivery.headers,
        retry_count=delivery.attempts,
        max_retries=None,
        lease_token=UUID(token),
        dlq_event_id=None,
        group_key=group_key,
        archives=archives,
        unlogged=unlogged,
    )
