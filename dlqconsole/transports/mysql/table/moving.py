"""The move of a live table to a queue of ours: nothing is lost or done twice while its consumers run.

A batch has a number. Its rows are claimed under that number, committed there; then they and the number are
committed here; then they are removed there. Whoever begins again after a death knows by the number what is to
become of rows that are still claimed: removed if it is committed here, moved if it is not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dlqconsole.core.named_sql import execute, fetch_column
from dlqconsole.engine import audit
from dlqconsole.engine.queues.policy import check_new_name
from dlqconsole.hosting.database import transaction
from dlqconsole.processing import crash_points
from dlqconsole.transports.dead_letters import headers_text
from dlqconsole.transports.mysql.connection import Cursor, MysqlConnections
from dlqconsole.transports.mysql.messages import incoming
from dlqconsole.transports.mysql.table.columns import QueueTable
from dlqconsole.transports.revivals import EVENT_ID, REVIVE_SEQ, revival
from dlqconsole.transports.source import Delivery
from dlqconsole.transports.sql import sql

BATCH = 500
_OWNER = "dlq-move:"


def move(
    connections: MysqlConnections, table: QueueTable, name: str, to: str, *, actor: str, reason: str
) -> int:
    """Move what nobody holds from the table to our queue ``to``. Return the number of messages.

    ``name``: the table's as a queue. Raises InvalidQueue, TransportUnavailable; what was moved stays moved.
    """
    check_new_name(to)
    count = 0
    _finish(connections, table, name)
    while moved := _move_batch(connections, table, name, to, actor=actor, reason=reason):
        count += moved
        _finish(connections, table, name)
    return count


def _move_batch(
    connections: MysqlConnections, table: QueueTable, name: str, to: str, *, actor: str, reason: str
) -> int:
    with transaction.atomic(durable=True):
        [number] = fetch_column(sql("moving.next_batch"), {"log": _log(name)})
        batch = _take(connections, table, f"{_OWNER}{number}")
        crash_points.reach("move.taken")
        if not batch:
            transaction.set_rollback(True)
            return 0
        fetch_column(sql("moving.put"), _columns(batch) | {"to": to})
        remote_ids = [message.id for message in batch]
        execute(sql("moving.forget"), {"name": name, "remote_ids": remote_ids})
        detail = {"to": to, "messages": len(batch)}
        audit.record(actor, "move", f"queue:{name}", reason=reason, detail=detail)
    crash_points.reach("move.put")
    return len(batch)


def _take(connections: MysqlConnections, table: QueueTable, token: str) -> list[Delivery]:
    """Claim a batch for a day; what died with this number is part of it."""

    def take(cursor: Cursor) -> list[Delivery]:
        cursor.execute(table.within("moving"), {"token": token})
        if not cursor.fetchall():
            cursor.execute(table.within("pick"), {"limit": BATCH})
            ids = [row["id"] for row in cursor.fetchall()]
            if not ids:
                return []
            cursor.execute(table.within("move_take"), {"token": token, "ids": ids})
        cursor.execute(table.within("moving"), {"token": token})
        rows: Sequence[Mapping[str, Any]] = list(cursor.fetchall())
        keys = {"queue": table.name, "ids": [row["id"] for row in rows]}
        cursor.execute(table.within("revivals"), keys)
        revivals = {row["message_id"]: row["dedupe_key"] for row in cursor.fetchall()}
        claim = TableClaim(token, table)
        return [as_delivery(row, table.name, claim, revivals.get(row["id"], "")) for row in rows]

    return connections.run(take)


def _finish(connections: MysqlConnections, table: QueueTable, name: str) -> None:
    """Remove there what is committed here."""
    last = next(iter(fetch_column(sql("moving.last_batch"), {"log": _log(name)})), 0)

    def remove(cursor: Cursor) -> None:
        cursor.execute(table.within("moved"), ())
        ids = [row["id"] for row in cursor.fetchall() if _number(row["owner"]) <= last]
        if ids:
            cursor.execute(table.within("remove"), {"ids": ids})

    connections.run(remove)


def _number(owner: str | bytes) -> int:
    text = owner if isinstance(owner, str) else bytes(owner).decode(errors="replace")
    number = text.removeprefix(_OWNER)
    return int(number) if number.isdecimal() else 2**63


def _log(name: str) -> str:
    return f"move of {name}"


def _columns(batch: Sequence[Delivery]) -> dict[str, list[Any]]:
    revivals = [revival(message.headers) or (None, None) for message in batch]
    return {
        "payloads": [message.payload for message in batch],
        "raws": [message.payload_raw for message in batch],
        "headers": [headers_text(message.headers) for message in batch],
        "letters": [letter for letter, _sequence in revivals],
        "revivals": [sequence for _letter, sequence in revivals],
    }


@dataclass(frozen=True, slots=True)
class TableClaim:
    """The receipt of a message: the owner that its claim wrote, and the table."""

    token: str
    table: QueueTable


def as_delivery(row: Mapping[str, Any], queue: str, claim: TableClaim, key: str) -> Delivery:
    """Return a claimed row; one that revives a dead letter says so, as its headers would."""
    message = incoming(row, queue, claim.token)
    message.receipt = claim
    if not claim.table.column("attempts"):
        # nobody counts there: a failure is a dead letter at once, and the schedule tries it again
        message.max_retries = 0
    of_revival = key.split(":")
    if of_revival[0] == "dlq" and len(of_revival) == 3:
        message.headers = {**message.headers, EVENT_ID: of_revival[1], REVIVE_SEQ: of_revival[2]}
    return message
