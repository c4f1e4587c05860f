"""PGMQ queues, in the same database as the console. That is what makes every step here atomic.

We read and call PGMQ; we add nothing to its schema. It has no receipt handle: a claim is known by the number
of reads, and whoever acts locks the row by it first, so that a consumer whose time ran out changes nothing.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from django.db import ProgrammingError, transaction
from psycopg.sql import Identifier

from dlqconsole.engine.errors import LeaseLost, UnknownQueue
from dlqconsole.engine.handling import Identity
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.states import DeadLetterStatus
from dlqconsole.engine.steadiness import sentence, sqlstate
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.identities import revival
from dlqconsole.transports.keeping import Burial, keep
from dlqconsole.transports.protocol import Delivery, QueueMetrics
from dlqconsole.transports.sending import sendable, sendable_delay, sendable_headers
from dlqconsole.transports.sql import sql

LONGEST_NAME = 47  # PGMQ's own limit
_MISSING = {"42P01", "3F000", "42883"}  # no such table, schema, function
_FORBIDDEN = "42501"


class Tables(NamedTuple):
    """A queue's two tables, quoted for a query with placeholders."""

    queue: str
    archive: str

    def within(self, query: str) -> str:
        """The named query on these tables."""
        return sql(query).replace("{queue}", self.queue).replace("{archive}", self.archive)


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


@contextmanager
def opened(queue: str) -> Iterator[Tables]:
    """One transaction on a queue that exists; its tables.

    Raises UnknownQueue, and TransportUnavailable where this database has no PGMQ or keeps it from us.
    """
    try:
        with transaction.atomic():
            yield _tables(queue)
    except ProgrammingError as error:
        if sqlstate(error) == _FORBIDDEN:
            raise TransportUnavailable(
                f"The console may not use PGMQ's queue {queue}: {sentence(error)}. Grant its database role"
                " usage of the schema pgmq, and select, insert, update and delete on its tables."
            ) from error
        if sqlstate(error) in _MISSING:
            raise TransportUnavailable(f"PGMQ's queue {queue} cannot be used: {sentence(error)}.") from error
        raise


def messages(tables: Tables, name: str, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Messages of the queue that we call ``name``, as they stand, in order."""
    return fetch_dicts(tables.within("pgmq.messages"), {"name": name, "ids": list(ids)})


def put_away(queue: str, tables: Tables, ids: Sequence[int]) -> None:
    """Archive messages. What has a copy in the archive already only leaves the queue."""
    copied = set(fetch_column(tables.within("pgmq.archived"), {"ids": list(ids)}))
    for query, chosen in (("pgmq.delete", copied), ("pgmq.archive", set(ids) - copied)):
        if chosen:
            fetch_column(sql(query), {"queue": queue, "ids": sorted(chosen)})


def buried(
    name: str,
    row: Mapping[str, Any],
    identity: Identity,
    failure: Failed,
    status: DeadLetterStatus,
    failed_at: datetime | None = None,
) -> Burial:
    """The dead letter that a row of ``messages`` becomes. A message that is NULL has no bytes either."""
    if row["reused"] and (identity.source, identity.source_key) == (name, str(row["id"])):
        identity = replace(identity, source_key=f"{row['id']} sent {row['enqueued_at'].isoformat()}")
    headers = _object(row["headers"])
    return Burial(
        message_id=row["id"],
        payload=row["payload"],
        payload_raw=None if row["payload"] is not None else b"",
        headers=headers,
        identity=identity,
        failure=failure,
        status=status,
        revival=revival(orjson.loads(headers)),
        failed_at=failed_at,
    )


def _tables(queue: str) -> Tables:
    if not queue or len(queue) > LONGEST_NAME or "\x00" in queue:
        raise UnknownQueue(f"A PGMQ queue's name has 1 to {LONGEST_NAME} characters, not {queue[:60]!r}.")
    if not fetch_column(sql("pgmq.installed"), {})[0]:
        raise TransportUnavailable(
            "PGMQ is not installed in the console's database. Queues can be attached where both live in one"
            " database: run CREATE EXTENSION pgmq there, or point DATABASE_URL at the one that has it."
        )
    found = fetch_dicts(sql("pgmq.tables"), {"queue": queue})
    if not found:
        raise UnknownQueue(
            f"PGMQ has no queue {queue!r} in this database; pgmq.list_queues() shows those it has."
        )
    return Tables(**{kind: _quoted(table) for kind, table in found[0].items()})


def _quoted(table: str) -> str:
    # a percent sign in a name must not be taken for a placeholder
    return Identifier("pgmq", table).as_string().replace("%", "%%")


def _hold(tables: Tables, deliveries: Sequence[Delivery]) -> list[int]:
    """Lock the rows of claims that are still good until the transaction ends; their ids."""
    values = {
        "ids": [delivery.id for delivery in deliveries],
        "reads": [int(delivery.token) for delivery in deliveries],
    }
    return fetch_column(tables.within("pgmq.hold"), values)


def delivered(queue: str, row: Mapping[str, Any]) -> Delivery:
    """A row of ``messages`` or of a read, as consumers see it."""
    payload = row["payload"]
    return Delivery(
        id=row["id"],
        queue=queue,
        payload=payload,
        payload_raw=None if payload is not None else b"",
        headers=orjson.loads(_object(row["headers"])),
        attempts=row["attempts"],
        token=str(row["attempts"]),
    )


def _object(headers: str | None) -> str:
    """PGMQ lets headers be any JSON; ours are an object."""
    if headers is None or headers == "null":
        return "{}"
    return headers if headers.startswith("{") else f'{{"headers": {headers}}}'
