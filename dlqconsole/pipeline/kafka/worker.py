"""The work of a Spark worker on one range of a partition.

What fails and is a dead letter already, above all what was revived, is one more failure of that.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import batched
from typing import Any

import orjson
import psycopg

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import RunIsOver
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.items import Item
from dlqconsole.pipeline.sink.rows import store_rows
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.outcomes import Failed

from .items import Destinations, item_of_record, place_of, revival_of
from .options import KafkaOptions
from .planning import keep_position
from .reading import Fetching, OffsetRange, Reading

PAGE = 500

type Connection = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True)
class TopicWork:
    """The task of a worker that reads topics. ``cluster``: its name among other clusters."""

    work: RunWork
    options: KafkaOptions
    cluster: str
    to: Destinations


def ingest_range(task: TopicWork, part: OffsetRange) -> tuple[Tally, int]:
    """Read, handle and store the records of a range; how many of each type ended how, and how many were gone.

    Its position is kept when all of it is committed. Who dies before leaves it to the next to read again, and
    that finds unchanged what was committed.
    """
    work, tally = task.work, Counter[tuple[str, str]]()
    with Reading(task.options, part) as reading, Fetching(task.options) as fetching:
        items = (item_of_record(record, work.limits, task.to, fetching.fetch) for record in reading.records())
        with connect(work.database_url, f"ingest {work.run_id}") as connection:
            tally += store_rows(work, only_new(work, connection, items), lambda item: item)
        lost_records = reading.lost
    keep_position(work.database_url, task.cluster, (part.topic, part.partition), part.end)
    return tally, lost_records


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
