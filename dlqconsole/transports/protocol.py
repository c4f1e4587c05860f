"""What every kind of queue can do for us: one small file a kind, all tried by the same tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dlqconsole.engine.handling import Identity
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.processing.outcomes import Failed


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message that a consumer holds until its lease runs out.

    ``payload`` is JSON text, or None where only the exact bytes ``payload_raw`` are there. ``attempts``
    counts the claims so far, this one included. ``token`` proves the claim; every transport has its own.
    """

    id: int
    queue: str
    payload: str | None
    payload_raw: bytes | None
    headers: Mapping[str, Any]
    attempts: int
    token: str


@dataclass(frozen=True, slots=True)
class QueueMetrics:
    """One queue now. ``oldest_due_seconds``: age of the oldest claimable message, None when there is none."""

    name: str
    visible: int
    in_flight: int
    scheduled: int
    oldest_due_seconds: float | None


class Transport(Protocol):
    """Messages on the queues of one system. ``queue`` is the name that system itself uses.

    All times are the queue's own database's; ``lease_seconds`` and ``delay_seconds`` are durations.
    Raises UnknownQueue for a queue that is not there, InvalidMessage for what cannot be sent.
    """

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, str] | None = None,
        *,
        delay_seconds: float = 0,
    ) -> int:
        """Put one message on the queue; its id."""
        ...

    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        """Claim up to ``limit`` visible messages in order, those of dead consumers included."""
        ...

    def extend(self, deliveries: Sequence[Delivery], lease_seconds: float) -> set[int]:
        """Lengthen the leases of what is still held; the ids that are."""
        ...

    def complete(self, deliveries: Sequence[Delivery]) -> set[int]:
        """Remove what is still held; the ids that were. The others were lost to another consumer."""
        ...

    def release(self, deliveries: Sequence[Delivery], *, delay_seconds: float = 0) -> set[int]:
        """Make what is still held claimable again after ``delay_seconds``; the ids that were held."""
        ...

    def dead_letter(
        self, delivery: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
    ) -> int:
        """Keep the message in ``dlq_events`` and remove it from its queue; the dead letter's id.

        Nothing is lost and nothing is kept twice, whatever dies in between. Raises LeaseLost.
        """
        ...

    def metrics(self, queue: str) -> QueueMetrics:
        """What stands on the queue."""
        ...
