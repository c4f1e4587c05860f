"""All events, enriched and dead, as one DataFrame: what a user's report is computed from."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import psycopg

from .database import connect
from .sql import sql

# ids that one task reads
RANGE_IDS = 25_000
# tasks of one report at most: of a huge table each reads more
MOST_TASKS = 4_000
BATCH_ROWS = 5_000

COLUMNS = (
    "event_type string, source string, source_key string, occurred_at timestamp, data string, record string, \
error_class string, status string"
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of the database, which every worker reads, whatever is written meanwhile."""

    database_url: str
    run_id: int
    name: str


@dataclass(frozen=True, slots=True)
class Extent:
    """Which ids one of the two tables holds."""

    part: str
    first: int
    last: int
    rows: int


def extents(connection: psycopg.Connection) -> list[Extent]:
    """What there is to read, in the snapshot of this connection."""
    found = connection.execute(sql("report.extent")).fetchall()
    return [Extent(*row) for row in found if row[1] is not None]


def events_frame(session: Any, snapshot: Snapshot, parts: list[Extent]) -> Any:
    """The DataFrame, read by the workers in ranges of ids."""
    ranges = [one for part in parts for one in _ranges(part)]
    spread = session.createDataFrame(ranges, "part string, first long, last long")
    spread = spread.repartition(max(len(ranges), 1)) if ranges else spread
    return spread.mapInArrow(partial(_read, snapshot), COLUMNS)


def _ranges(part: Extent) -> Iterator[tuple[str, int, int]]:
    step = max(RANGE_IDS, (part.last - part.first) // MOST_TASKS + 1)
    for first in range(part.first, part.last + 1, step):
        yield part.part, first, min(first + step - 1, part.last)


def _read(snapshot: Snapshot, batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        for row in batch.to_pylist():
            yield from _read_range(snapshot, row["part"], row["first"], row["last"])


def _read_range(snapshot: Snapshot, part: str, first: int, last: int) -> Iterator[Any]:
    with (
        connect(snapshot.database_url, f"report {snapshot.run_id}", autocommit=False) as reading,
        connect(snapshot.database_url, f"report {snapshot.run_id}") as counting,
    ):
        reading.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reading.execute(psycopg.sql.SQL("SET TRANSACTION SNAPSHOT {}").format(snapshot.name))
        with reading.cursor("events") as cursor:
            cursor.execute(sql(f"report.{part}"), {"first": first, "last": last})
            while rows := cursor.fetchmany(BATCH_ROWS):
                yield _arrow(rows)
                done = {"id": snapshot.run_id, "done": len(rows), "blank": 0, "counts": "{}"}
                counting.execute(sql("runs.add"), done)


def _arrow(rows: list[tuple[Any, ...]]) -> Any:
    import pyarrow

    text = pyarrow.string()
    moment = pyarrow.timestamp("us", tz="UTC")
    names = [column.split()[0] for column in COLUMNS.split(", ")]
    columns = list(zip(*rows, strict=True))
    if len(columns) > len(names):  # a dead letter keeps its time inside its payload
        columns[3] = tuple(map(_moment, columns.pop()))
    types = [moment if name == "occurred_at" else text for name in names]
    arrays = [pyarrow.array(column, type=kind) for column, kind in zip(columns, types, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, names)


def _moment(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if text else None
        return moment.astimezone(UTC) if moment and moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
