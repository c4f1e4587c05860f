"""PGMQ queues, in the same database as the console. That is what makes every step here atomic.

We read and call PGMQ; we add nothing to its schema. It has no receipt handle: a claim is known by the number
of reads, and whoever acts locks the row by it first, so that a consumer whose time ran out changes nothing.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager

from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.dead_letters import keep
from dlqconsole.transports.pgmq.messages import as_message, messages, new_dead_letter, put_away
from dlqconsole.transports.pgmq.tables import Tables, open_queue, read_again
from dlqconsole.transports.sending import sendable, sendable_delay, sendable_headers
from dlqconsole.transports.source import Delivery, Source, lease_lost
from dlqconsole.transports.sql import sql
from dlqconsole.transports.target import DeadLetterQueue, QueueMetrics

# reads after which a message that is still there is no accident: a queue's maximum here, unless somebody says
OFTEN = 5


class PgmqSource(Source):
    """PGMQ's functions as a source. The receipt of a message is its read count."""

    prefix = "pgmq"
    # its own relay steps find and dead-letter messages that were read too often
    commits_with_us = True

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
        values = {
            "payload": sendable(payload).json_text,
            "headers": sendable_headers(headers) if headers else None,
            "delay": sendable_delay(delay_seconds),
        }
        with self._open(queue) as tables:
            return str(fetch_column(sql("pgmq.send"), values | {"queue": tables.name})[0])

    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        """Read up to ``limit`` visible messages. PGMQ counts leases in whole seconds and knows no owners.

        Commit before you work on them: a rollback makes them unread.
        """
        values = {"limit": limit, "lease": math.ceil(lease_seconds)}
        with self._open(queue) as tables:
            rows = fetch_dicts(sql("pgmq.read"), values | {"queue": tables.name})
        return [as_message(queue, row) for row in rows]

    def extend(self, batch: Sequence[Delivery], lease_seconds: float) -> set[str]:
        """Lengthen the leases that are still held."""
        return self._on_held("pgmq.set_vt", batch, seconds=lease_seconds)

    def complete(self, batch: Sequence[Delivery]) -> set[str]:
        """Delete messages that are still held."""
        return self._on_held("pgmq.delete", batch)

    def release(self, batch: Sequence[Delivery], *, delay_seconds: float = 0) -> set[str]:
        """Make held messages visible again. PGMQ cannot take a read back: it stays counted."""
        return self._on_held("pgmq.set_vt", batch, seconds=sendable_delay(delay_seconds))

    def put_back(self, batch: Sequence[Delivery], event_type: str, *, delay_seconds: float) -> set[str]:
        """Put messages back as they were, for later. PGMQ cannot take a read back: this statement is ours."""
        if not batch:
            return set()
        with self._open(batch[0].queue) as tables:
            values = {"ids": hold(tables, batch), "seconds": sendable_delay(delay_seconds)}
            return set(map(str, fetch_column(tables.within("pgmq.put_back"), values)))

    def dead_letter(
        self, message: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
    ) -> int:
        """Archive the message and write its dead letter, in one transaction. Raises LeaseLost."""
        name = self.name_of(message.queue.lower())
        with self._open(message.queue) as tables:
            if not (ids := hold(tables, [message])):
                raise lease_lost(message)
            [row] = messages(tables, name, ids)
            letter_ids = keep(name, [new_dead_letter(name, row, identity, failure, status)])
            put_away(tables, ids)
            return letter_ids[message.id]

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return the ids of the messages that have not left the queue."""
        with self._open(queue) as tables:
            there = fetch_column(tables.within("pgmq.still_there"), {"ids": list(map(int, ids))})
        return set(map(str, there))

    def metrics(self, queue: str) -> QueueMetrics:
        """Count the queue's messages. PGMQ cannot tell a delayed message from one in flight."""
        with self._open(queue) as tables:
            [row] = fetch_dicts(tables.within("pgmq.metrics"), {})
        return QueueMetrics(name=queue, **row)

    def dead_letter_queues(self, attached: Sequence[str]) -> list[DeadLetterQueue]:
        """Return the queues whose messages fail again and again: nothing takes them off."""
        return [DeadLetterQueue(name, (name,), count) for name, count in read_again(OFTEN).items()]

    def _on_held(self, query: str, batch: Sequence[Delivery], **values: float) -> set[str]:
        """Lock the held rows and run a function of PGMQ on them. Return the ids."""
        if not batch:
            return set()
        with self._open(batch[0].queue) as tables:
            ids = hold(tables, batch)
            changed_ids = fetch_column(tables.within(query), values | {"queue": tables.name, "ids": ids})
        return set(map(str, changed_ids))

    def _open(self, queue: str) -> AbstractContextManager[Tables]:
        return open_queue(queue)


def hold(tables: Tables, batch: Sequence[Delivery]) -> list[int]:
    """Lock the rows of claims that are still good until the transaction ends. Return their ids."""
    values = {
        "ids": [int(message.id) for message in batch],
        "reads": [message.receipt for message in batch],
    }
    return fetch_column(tables.within("pgmq.hold"), values)
