"""The MySQL source's statements on rows, each within the caller's short transaction."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

import pymysql

from dlqconsole.transports.mysql.connection import Cursor
from dlqconsole.transports.source import Delivery
from dlqconsole.transports.sql import sql

type Pick = Callable[[Cursor, Mapping[str, Any]], list[dict[str, Any]]]


def put(cursor: Cursor, values: Mapping[str, Any]) -> int | None:
    """Send a message. Return its id; None when the same key appeared meanwhile and nothing was sent."""
    if values["dedupe_key"] is not None:
        before = sent_under(cursor, values)
        if before is not None:
            return before
    cursor.execute(sql("mysql.send"), values)
    return keep_key(cursor, values)


def keep_key(cursor: Cursor, values: Mapping[str, Any]) -> int | None:
    """Keep the key of the message that was just inserted. Return its id; None when the key was there."""
    message_id = int(cursor.lastrowid or 0)
    if values["dedupe_key"] is not None:
        try:
            cursor.execute(sql("mysql.keep_key"), {**values, "id": message_id})
        except pymysql.IntegrityError:
            cursor.connection.rollback()
            return None
    return message_id


def sent_under(cursor: Cursor, values: Mapping[str, Any]) -> int | None:
    """Return the id of the message that was sent under this key, even if it has left; None without one."""
    ids = column(cursor, "mysql.sent_under", values, "message_id")
    return ids[0] if ids else None


def take(cursor: Cursor, pick_rows: Pick, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Make due messages visible, then claim the ones that ``pick_rows`` locks."""
    due = column(cursor, "mysql.due", values, "id")
    if due:
        cursor.execute(sql("mysql.stage"), {"ids": sorted(due)})
    rows = pick_rows(cursor, values)
    if rows:
        cursor.execute(sql("mysql.take"), {**values, "ids": [row["id"] for row in rows]})
    return rows


def pick(cursor: Cursor, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Lock the first visible messages, past those that others are just claiming."""
    cursor.execute(sql("mysql.pick"), values)
    return list(cursor.fetchall())


def pick_exhausted(cursor: Cursor, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Lock the first visible messages that were claimed too often."""
    ids = column(cursor, "mysql.exhausted", values, "id")
    if not ids:
        return []
    cursor.execute(sql("mysql.pick_these"), {"ids": ids})
    return list(cursor.fetchall())


def hold(cursor: Cursor, messages: Sequence[Delivery]) -> list[int]:
    """Lock the rows that the tokens still hold, in the order of the ids within each claim."""
    ids: list[int] = []
    in_order = sorted(messages, key=lambda message: (message.receipt, int(message.id)))
    for token, batch in groupby(in_order, key=lambda message: message.receipt):
        values = {"token": token, "ids": [int(message.id) for message in batch]}
        ids += column(cursor, "mysql.held", values, "id")
    return ids


def column(cursor: Cursor, name: str, values: Mapping[str, Any], of: str) -> list[Any]:
    """Run a named query. Return one column of its rows."""
    cursor.execute(sql(name), values)
    return [row[of] for row in cursor.fetchall()]


def one(cursor: Cursor, name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Run a named query. Return its one row."""
    cursor.execute(sql(name), values)
    return dict(cursor.fetchone() or {})
