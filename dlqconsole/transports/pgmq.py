"""PGMQ queues, in the same database as the console. That is what makes every step here atomic.

We read and call PGMQ; we add nothing to its schema. It has no receipt handle: a claim is known by the number
of reads, and whoever acts locks the row by it first, so that a consumer whose time ran out changes nothing.
"""

import math
from collections.abc import Mapping, Sequence

from dlqconsole.engine.errors import LeaseLost
from dlqconsole.engine.handling import Identity
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.keeping import keep
from dlqconsole.transports.pgmq_messages import buried, delivered, messages, put_away
from dlqconsole.transports.pgmq_tables import Tables, opened
from dlqconsole.transports.protocol import Delivery, QueueMetrics
from dlqconsole.transports.sending import sendable, sendable_delay, sendable_headers
from dlqconsole.transports.sql import sql


class PgmqTransport:
    """The protocol over PGMQ's functions."""

    kind = "pgmq"

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, str] | None = None,
        *,
        delay_seconds: float = 0,
    ) -> int:
        """Put one message on the queue, in the caller's transaction; its id."""
        values = {
            "payload": sendable(payload).json_text,
            "headers": sendable_headers(headers) if headers else None,
            "delay": sendable_delay(delay_seconds),
        }
        with opened(queue):
            return int(fetch_column(sql("pgmq.send"), values | {"queue": queue})[0])

    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        """Read up to ``limit`` visible messages. PGMQ counts leases in whole seconds and knows no owners.

        Commit before you work on them: a rollback makes them unread.
        """
        values = {"queue": queue, "limit": limit, "lease": math.ceil(lease_seconds)}
        with opened(queue):
            return [delivered(queue, row) for row in fetch_dicts(sql("pgmq.read"), values)]

    def extend(self, deliveries: Sequence[Delivery], lease_seconds: float) -> set[int]:
        """Lengthen what is still held."""
        return self._on_held("pgmq.set_vt", deliveries, seconds=lease_seconds)

    def complete(self, deliveries: Sequence[Delivery]) -> set[int]:
        """Delete what is still held."""
        return self._on_held("pgmq.delete", deliveries)

    def release(self, deliveries: Sequence[Delivery], *, delay_seconds: float = 0) -> set[int]:
        """Make what is still held visible again. PGMQ has no way to take the read back: it stays counted."""
        return self._on_held("pgmq.set_vt", deliveries, seconds=sendable_delay(delay_seconds))

    def dead_letter(
        self, delivery: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
    ) -> int:
        """Archive the message and write its dead letter, in one transaction. Raises LeaseLost."""
        name = f"{self.kind}:{delivery.queue.lower()}"
        with opened(delivery.queue) as tables:
            if not _hold(tables, [delivery]):
                raise LeaseLost(f"The lease on message {delivery.id} ran out; its failure was not recorded.")
            [row] = messages(tables, name, [delivery.id])
            kept = keep(name, [buried(name, row, identity, failure, status)])
            put_away(delivery.queue, tables, [delivery.id])
            return kept[delivery.id]

    def metrics(self, queue: str) -> QueueMetrics:
        """Counted. PGMQ cannot tell a message released with a delay from one in flight."""
        with opened(queue) as tables:
            [row] = fetch_dicts(tables.within("pgmq.metrics"), {})
        return QueueMetrics(name=queue, **row)

    def _on_held(self, query: str, deliveries: Sequence[Delivery], **values: float) -> set[int]:
        """Lock what is still held and act on it, queue by queue; the ids."""
        changed: set[int] = set()
        for queue in sorted({delivery.queue for delivery in deliveries}):
            of_queue = [delivery for delivery in deliveries if delivery.queue == queue]
            with opened(queue) as tables:
                ids = _hold(tables, of_queue)
                changed |= set(fetch_column(sql(query), values | {"queue": queue, "ids": ids}))
        return changed


def _hold(tables: Tables, deliveries: Sequence[Delivery]) -> list[int]:
    """Lock the rows of claims that are still good until the transaction ends; their ids."""
    values = {
        "ids": [delivery.id for delivery in deliveries],
        "reads": [int(delivery.token) for delivery in deliveries],
    }
    return fetch_column(tables.within("pgmq.hold"), values)
