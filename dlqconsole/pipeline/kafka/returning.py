"""Failures of events that are dead letters already: above all what was revived and failed again."""

from collections.abc import Iterable, Iterator
from itertools import batched
from typing import Any

import orjson
import psycopg

from dlqconsole.pipeline.errors import RunIsOver
from dlqconsole.pipeline.sink.items import Item
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.outcomes import Failed

from .items import place_of, revival_of

PAGE = 500

type Connection = psycopg.Connection[Any]


def only_new(work: RunWork, connection: Connection, items: Iterable[Item | None]) -> Iterator[Item | None]:
    """Yield the items that are not one more failure of a dead letter: those are noted there, and counted."""
    for page in batched(items, PAGE):
        failures = [item for item in page if item is not None and isinstance(item.outcome, Failed)]
        same = _known_ids(connection, [item for item in failures if "dlq_noted_by" in item.line.position])
        _count(work, connection, len(same))
        yield from (item for item in page if id(item) not in same)


def _known_ids(connection: Connection, items: list[Item]) -> set[int]:
    if not items:
        return set()
    rows = connection.execute(sql("kafka.failed_there"), _columns(items)).fetchall()
    return {id(items[row[0]]) for row in rows}


def _columns(items: list[Item]) -> dict[str, list[Any]]:
    outcomes = [item.outcome for item in items if isinstance(item.outcome, Failed)]
    revivals = [revival_of(item) or (None, None) for item in items]
    return {
        "places": [place_of(item) for item in items],
        "ids": [revival[0] for revival in revivals],
        "revivals": [revival[1] for revival in revivals],
        "sources": [item.source for item in items],
        "keys": [item.key for item in items],
        "payloads": [item.payload for item in items],
        "raws": [item.raw for item in items],
        "reasons": [outcome.reason for outcome in outcomes],
        "categories": [outcome.category for outcome in outcomes],
        "stacktraces": [outcome.stacktrace for outcome in outcomes],
    }


def _count(work: RunWork, connection: Connection, number: int) -> None:
    if not number:
        return
    counts = orjson.dumps({"read": number, "failed_again": number}).decode()
    values = {"id": work.run_id, "done": number, "blank": 0, "counts": counts}
    if connection.execute(sql("runs.add"), values).fetchone() is None:
        raise RunIsOver("this run was marked as ended while a worker still wrote")
