"""The statements of one batch's transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson
import psycopg

from dlqconsole.pipeline.errors import RunIsOver
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.outcomes import Failed, Succeeded

from .items import Item
from .table_rows import dead_letter_row, enriched_row

type Connection = psycopg.Connection[Any]


class OtherTableWrite(Exception):
    """An event of this batch has just come into the other table."""


def write(connection: Connection, items: Sequence[Item], backoff_base: float) -> None:
    """Copy each item into its table. Raises OtherTableWrite: another process has put one into the other."""
    successes = [(item, item.outcome) for item in items if isinstance(item.outcome, Succeeded)]
    dead = [(item, item.outcome) for item in items if isinstance(item.outcome, Failed)]
    with connection.cursor() as cursor:
        if successes:
            with cursor.copy(sql("sink.copy_enriched")) as copy:
                for item, success in successes:
                    copy.write_row(enriched_row(item, success))
        if dead:
            now = _now(cursor)
            with cursor.copy(sql("sink.copy_dead_letters")) as copy:
                for item, failure in dead:
                    copy.write_row(dead_letter_row(item, failure, now, backoff_base))
        if items:
            _check_across(cursor, [item for item, _ in successes], [item for item, _ in dead])


def count(connection: Connection, run_id: int, new: Sequence[Item], read: int, blank: int) -> None:
    """Add the batch to the counts of its run. Raises RunIsOver."""
    successes = sum(isinstance(item.outcome, Succeeded) for item in new)
    counts = {
        "read": read,
        "enriched": successes,
        "dead_lettered": len(new) - successes,
        "unchanged": read - len(new),
        "blank": blank,
    }
    if other := sum(bool(item.came_as) for item in new):
        counts["other_bytes"] = other
    values = {"id": run_id, "done": read, "blank": blank, "counts": orjson.dumps(counts).decode()}
    if connection.execute(sql("runs.add"), values).fetchone() is None:
        raise RunIsOver("this run was marked as ended while a worker still wrote: its batch is undone")


def _check_across(cursor: psycopg.Cursor[Any], successes: list[Item], dead: list[Item]) -> None:
    cursor.execute(sql("sink.commit_gate"))
    values = {
        "enriched_sources": [item.source for item in successes],
        "enriched_keys": [item.key for item in successes],
        "dead_sources": [item.source for item in dead],
        "dead_keys": [item.key for item in dead],
    }
    row = cursor.execute(sql("sink.crossed"), values).fetchone()
    if row and row[0]:
        raise OtherTableWrite("another process wrote one of these events to the other table")


def _now(cursor: psycopg.Cursor[Any]) -> datetime:
    row = cursor.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None  # noqa: S101
    return row[0]  # type: ignore[no-any-return]
