"""The statements of one batch's transaction."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import random
from typing import Any

import orjson
import psycopg

from dlqconsole.pipeline.errors import RunIsOver
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.outcomes import Failed, Succeeded
from dlqconsole.processing.texts import sanitise_text

from .items import Item, long_type

type Connection = psycopg.Connection[Any]
# the first retries of one ingest are spread over this many times the schedule's first backoff
SPREAD = 10
type EnrichedRow = tuple[str, str, str, datetime | None, str, str]
type DeadLetterRow = tuple[
    str, str, str, int | None, str | None, bytes | None, str, str, str, str, str, datetime, str | None
]  # fmt: skip


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


def enriched_row(item: Item, success: Succeeded) -> EnrichedRow:
    """The columns of copy_enriched."""
    occurred_at = item.event.time if item.event else None
    return (item.event_type, item.source, item.key, occurred_at, success.record_json, item.digest)


def dead_letter_row(item: Item, failure: Failed, now: datetime, backoff_base: float) -> DeadLetterRow:
    """The columns of copy_dead_letters. `now` is the database's."""
    return (
        item.event_type,
        item.source,
        item.key,
        item.same_id_as,
        item.payload,
        item.raw,
        _headers(item),
        failure.reason,
        failure.category,
        failure.stacktrace,
        "QUARANTINED" if failure.fatal else failure.status,
        now + _until_retry(backoff_base),
        item.queue,
    )


def _until_retry(base: float) -> timedelta:
    """Draw the wait: a thousand events that wait for one table must not come due together."""
    return timedelta(seconds=base * (1 + (SPREAD - 1) * random()))  # noqa: S311


def _headers(item: Item) -> str:
    """The message's own, and where the event was found, by names that stay behind at a revive."""
    headers: dict[str, Any] = {_storable(name): _storable(value) for name, value in item.headers.items()}
    headers |= {**item.origin.headers, **item.line.position}
    if item.came_as:
        headers["dlq_same_id"] = item.came_as
    if whole := long_type(item):
        headers["dlq_event_type"] = whole
    if item.line.sha256:
        headers |= {"dlq_sha256": item.line.sha256, "dlq_bytes": item.line.size}
    return orjson.dumps(headers).decode()


def _storable(value: Any) -> Any:
    return sanitise_text(value) if isinstance(value, str) else value
