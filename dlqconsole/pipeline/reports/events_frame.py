"""All events, enriched and dead, as one DataFrame: what a user's report is computed from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import psycopg

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.sql import sql

from .days import Span

# rows that one task reads
RANGE_ROWS = 25_000
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
    """A part of one of the two tables, read by the query `report.<query>`, and its number of rows.

    `bounds`: the first of each task, and behind them the end, which nobody reads.
    """

    query: str
    bounds: tuple[str, ...]
    rows: int


def extents(connection: psycopg.Connection, spans: Sequence[Span] | None) -> list[Extent]:
    """Return what there is to read in the snapshot of this connection: of these spans; of None, all."""
    if spans is None:
        rows = connection.execute(sql("report.extent")).fetchall()
        return [_by_id(*row) for row in rows if row[1] is not None]
    return [extent for span in spans for extent in _of_span(connection, span)]


def events_frame(session: Any, snapshot: Snapshot, parts: Sequence[Extent]) -> Any:
    """The DataFrame, read by the workers in ranges."""
    ranges = [
        (part.query, first, end)
        for part in parts
        for first, end in zip(part.bounds, part.bounds[1:], strict=False)
    ]
    spread = session.createDataFrame(ranges, "query string, first string, end string")
    spread = spread.repartition(max(len(ranges), 1)) if ranges else spread
    return spread.mapInArrow(partial(_read, snapshot), COLUMNS)


def _by_id(part: str, first: int, last: int, rows: int) -> Extent:
    step = max(RANGE_ROWS, (last - first) // MOST_TASKS + 1)
    return Extent(f"{part}_by_id", (*map(str, range(first, last + 1, step)), str(last + 1)), rows)


def _of_span(connection: psycopg.Connection, span: Span) -> Iterator[Extent]:
    values = {"since": span.since, "until": span.until}
    for part, rows in connection.execute(sql("report.span"), values).fetchall():
        if rows:
            yield Extent(f"{part}_by_time", tuple(_slices(span, rows)), rows)


def _slices(span: Span, rows: int) -> Iterator[str]:
    """Equal parts of the time: of which some will have more rows than others."""
    number = min(-(-rows // RANGE_ROWS), MOST_TASKS)
    for place in range(number):
        yield (span.since + (span.until - span.since) * place / number).isoformat()
    yield span.until.isoformat()


def _read(snapshot: Snapshot, batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        for row in batch.to_pylist():
            yield from _read_range(snapshot, row["query"], row["first"], row["end"])


def _read_range(snapshot: Snapshot, query: str, first: str, end: str) -> Iterator[Any]:
    with (
        connect(snapshot.database_url, f"report {snapshot.run_id}", autocommit=False) as reading,
        connect(snapshot.database_url, f"report {snapshot.run_id}") as counting,
    ):
        reading.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reading.execute(psycopg.sql.SQL("SET TRANSACTION SNAPSHOT {}").format(snapshot.name))
        with reading.cursor("events") as cursor:
            cursor.execute(sql(f"report.{query}"), {"first": first, "end": end})
            while rows := cursor.fetchmany(BATCH_ROWS):
                yield _arrow(rows)
                progress = {"id": snapshot.run_id, "done": len(rows), "blank": 0, "counts": "{}"}
                counting.execute(sql("runs.add"), progress)


def _arrow(rows: list[tuple[Any, ...]]) -> Any:
    import pyarrow

    text = pyarrow.string()
    moment = pyarrow.timestamp("us", tz="UTC")
    names = [column.split()[0] for column in COLUMNS.split(", ")]
    columns = list(zip(*rows, strict=True))
    types = [moment if name == "occurred_at" else text for name in names]
    arrays = [pyarrow.array(column, type=kind) for column, kind in zip(columns, types, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, names)
