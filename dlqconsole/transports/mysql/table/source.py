"""A queue table of another program, whose own consumers go on beside ours.

A claim writes an owner that nobody else has, so whoever completes shows it. Their late consumers find another
owner there, and change nothing of ours.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.errors import UnknownQueue
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.dead_letters import keep_marked
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.mysql.browser import MysqlBrowser
from dlqconsole.transports.mysql.connection import Cursor, MysqlConnections
from dlqconsole.transports.mysql.messages import microseconds, outgoing
from dlqconsole.transports.mysql.rows import keep_key, sent_under
from dlqconsole.transports.mysql.source import COUNT_CAP
from dlqconsole.transports.mysql.source import from_settings as mysql_from_settings
from dlqconsole.transports.mysql.table import moving
from dlqconsole.transports.mysql.table.columns import QueueTable, check_table, check_there
from dlqconsole.transports.mysql.table.moving import TableClaim, as_delivery
from dlqconsole.transports.sending import sendable_delay
from dlqconsole.transports.source import Delivery, Source, dead_letter_of, lease_lost
from dlqconsole.transports.target import QueueMetrics


class MysqlTableBrowser(MysqlBrowser):
    """The messages in a table. Whoever claimed one holds it, until the table's own timeout."""

    def __init__(self, connections: MysqlConnections, table_of: Callable[[str], QueueTable]) -> None:
        super().__init__(connections, "mysql-table")
        self._table_of = table_of

    def _sql(self, query: str, queue: str) -> str:
        return self._table_of(queue).within(query)


class MysqlTableSource(Source):
    """Tables of one MySQL database. A queue is a table."""

    prefix = "mysql-table"
    moves = True
    deduplicates = True
    reports_exhausted = True

    def __init__(self, connections: MysqlConnections) -> None:
        self.connections = connections

    def browser(self) -> MysqlTableBrowser:
        """Return the page of its queues."""
        return MysqlTableBrowser(self.connections, self.table)

    def close(self) -> None:
        """Close this thread's connection; the next call opens another."""
        self.connections.close()

    def table(self, queue: str) -> QueueTable:
        """Return an attached table, as it is there now. Raises UnknownQueue."""
        row = AttachedQueue.objects.filter(transport=self.prefix, remote_name=check_table(queue)).first()
        if row is None:
            raise UnknownQueue(f"The table {queue!r} is not attached: {PROGRAM} attach {self.name_of(queue)}")
        return QueueTable(queue, row.columns, row.lease_seconds)

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, str] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Put one message on the queue. Return its id. Headers go where the table has a column for them."""
        table = self.table(queue)
        values = outgoing(queue, payload, headers, delay_seconds, dedupe_key)
        # as text: a column of JSON takes no bytes, and one of bytes takes both
        values["message"] = values["message"].decode()
        insert = partial(_insert, table.within("send"), values)
        message_id = self.connections.run(insert)
        if message_id is None:  # somebody else sent it between our look and our insert
            message_id = self.connections.run(lambda cursor: sent_under(cursor, values))
        return str(message_id)

    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        """Claim up to ``limit`` messages that nobody holds, in the order of their ids."""
        return self._claim("pick", queue, {"limit": limit}, lease_seconds)

    def counts_deliveries(self, queue: str) -> bool:
        """Tell whether the table has a column for it."""
        return bool(self.table(queue).column("attempts"))

    def claim_exhausted(
        self, queue: str, max_deliveries: int, limit: int, owner: str, lease_seconds: float
    ) -> list[Delivery]:
        """Claim messages that were claimed too often, where the table counts that."""
        if not self.counts_deliveries(queue):
            return []
        return self._claim("pick_exhausted", queue, {"limit": limit, "most": max_deliveries}, lease_seconds)

    def extend(self, messages: Sequence[Delivery], lease_seconds: float) -> set[str]:
        """Lengthen the claims that are still held. Return their messages' ids."""
        return self._change_held("extend", messages, {"lease": microseconds(lease_seconds)})

    def complete(self, messages: Sequence[Delivery]) -> set[str]:
        """Remove messages that are still held. Return their ids."""
        return self._change_held("remove", messages, {})

    def release(self, messages: Sequence[Delivery], *, delay_seconds: float = 0) -> set[str]:
        """Make held messages claimable again after ``delay_seconds``."""
        return self._change_held("release", messages, {"delay": microseconds(sendable_delay(delay_seconds))})

    def put_back(self, messages: Sequence[Delivery], event_type: str, *, delay_seconds: float) -> set[str]:
        """Make held messages claimable again after ``delay_seconds``, the claim not counted."""
        return self._change_held("put_back", messages, {"delay": microseconds(sendable_delay(delay_seconds))})

    def dead_letter(
        self, message: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
    ) -> int:
        """Keep the message in ``dlq_events``, then remove it from the table. Raises LeaseLost.

        The row stays locked while PostgreSQL commits. An id that comes again with other bytes is another
        message: MySQL before 8.0 may give out ids anew after a restart.
        """
        claim: TableClaim = message.receipt
        with self.connections.transaction() as cursor:
            values = {"id": int(message.id), "token": claim.token}
            cursor.execute(claim.table.within("held_by"), values)
            row = cursor.fetchone()
            if row is None:
                raise lease_lost(message)
            letter = dead_letter_of(message, identity, failure, status, f"claim {message.attempts}")
            mark = f"content {_digest(row['message'])}"
            letter_id = keep_marked(self.name_of(message.queue), letter, mark, mark, 0.0)
            cursor.execute(claim.table.within("remove"), {"ids": [int(message.id)]})
        return letter_id

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return the ids of the messages that have not left the table."""
        numbers = sorted(map(int, ids))
        if not numbers:
            return set()
        query, values = self.table(queue).within("still_there"), {"ids": numbers}
        return set(map(str, self.connections.run(lambda cursor: _ids(cursor, query, values))))

    def metrics(self, queue: str) -> QueueMetrics:
        """Count the first COUNT_CAP messages of the table, which needs no index of its own for that."""
        table = self.table(queue)

        def count(cursor: Cursor) -> dict[str, Any]:
            _check(cursor, table)
            cursor.execute(table.within("metrics"), {"cap": COUNT_CAP})
            return dict(cursor.fetchone() or {})

        row = self.connections.run(count)
        visible, scheduled = int(row["visible"]), int(row["scheduled"])
        return QueueMetrics(
            name=queue,
            visible=visible,
            in_flight=row["messages"] - visible - scheduled,
            scheduled=scheduled,
            oldest_due_seconds=None if row["oldest"] is None else max(0.0, float(row["oldest"])),
            at_least=("visible", "in_flight", "scheduled") if row["messages"] >= COUNT_CAP else (),
        )

    def move(self, queue: str, to: str, *, actor: str, reason: str) -> int:
        """Move what nobody holds to our queue ``to``, while its consumers run. Return the number."""
        table = self.table(queue)
        return moving.move(self.connections, table, self.name_of(queue), to, actor=actor, reason=reason)

    def _claim(
        self, pick: str, queue: str, values: Mapping[str, Any], lease_seconds: float
    ) -> list[Delivery]:
        table, token = self.table(queue), f"dlq:{secrets.token_hex(16)}"
        lease = {"lease": microseconds(lease_seconds), "token": token}

        def take(cursor: Cursor) -> tuple[list[dict[str, Any]], dict[int, str]]:
            cursor.execute(table.within(pick), values)
            rows = list(cursor.fetchall())
            if not rows:
                return [], {}
            ids = {"ids": [row["id"] for row in rows]}
            cursor.execute(table.within("take"), lease | ids)
            cursor.execute(table.within("revivals"), {"queue": queue} | ids)
            return rows, {row["message_id"]: row["dedupe_key"] for row in cursor.fetchall()}

        rows, keys = self.connections.run(take)
        claim = TableClaim(token, table)
        return [as_delivery(row, queue, claim, keys.get(row["id"], "")) for row in rows]

    def _change_held(self, query: str, messages: Sequence[Delivery], values: Mapping[str, Any]) -> set[str]:
        """Run a statement on the rows that their claims still hold. Return their ids."""
        in_order = sorted(messages, key=lambda message: (message.receipt.token, int(message.id)))

        def change(cursor: Cursor) -> list[int]:
            changed: list[int] = []
            for token, batch in groupby(in_order, key=lambda message: message.receipt.token):
                tables = {int(message.id): message.receipt.table for message in batch}
                table: QueueTable = next(iter(tables.values()))
                ids = _ids(cursor, table.within("held"), {"ids": list(tables), "token": token})
                if ids:
                    cursor.execute(table.within(query), {**values, "ids": ids})
                changed += ids
            return changed

        return set(map(str, self.connections.run(change))) if messages else set()


def from_settings() -> MysqlTableSource:
    """Return the source at DLQ_MYSQL_URL. Raises TransportUnavailable when that is not set."""
    return MysqlTableSource(mysql_from_settings().connections)


def _insert(query: str, values: Mapping[str, Any], cursor: Cursor) -> int | None:
    """Send a message. Return its id; None when the same key appeared meanwhile and nothing was sent."""
    if values["dedupe_key"] is not None and (before := sent_under(cursor, values)) is not None:
        return before
    cursor.execute(query, values)
    return keep_key(cursor, values)


def _check(cursor: Cursor, table: QueueTable) -> None:
    cursor.execute(table.within("table"), {"table": table.name})
    engine = cursor.fetchone()
    cursor.execute(table.within("columns"), {"table": table.name})
    there = {row["name"]: row["length"] for row in cursor.fetchall()}
    check_there(table, there, next(iter(engine.values())) if engine else None)


def _digest(message: str | bytes) -> str:
    content = message.encode() if isinstance(message, str) else bytes(message)
    return hashlib.sha256(content).hexdigest()[:16]


def _ids(cursor: Cursor, query: str, values: Mapping[str, Any]) -> list[int]:
    cursor.execute(query, values)
    return [row["id"] for row in cursor.fetchall()]
