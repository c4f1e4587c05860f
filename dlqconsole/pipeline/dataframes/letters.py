"""Dead letters as a frame, in batches that fit in memory."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import psycopg

from dlqconsole.pipeline.database import connect, in_words
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.sql import sql

from .filter_pushdown import LetterFilter

# the first five and the headers are those of a frame for run_handlers
COLUMNS = {
    "id": "bigint",
    "value": "binary",
    "source": "string",
    "type": "string",
    "key": "string",
    "headers": "map<string,string>",
    "status": "string",
    "category": "string",
    "error_class": "string",
    "reason": "string",
    "stacktrace": "string",
    "group_id": "bigint",
    "queue": "string",
    "occurrences": "int",
    "retry_count": "int",
    "dead_lettered_at": "timestamp",
    "last_failure_at": "timestamp",
}
FETCHED = 200
BATCH_BYTES = 8 * 1024 * 1024


def bounds(database_url: str, selection: LetterFilter) -> tuple[int, int] | None:
    """Return the first and the last id of the selection; None for none. Raises PipelineProblem."""
    try:
        with connect(database_url, "reader") as connection:
            row = connection.execute(sql("dataframes.bounds"), selection.values).fetchone()
    except psycopg.Error as error:
        raise PipelineProblem(in_words(error)) from error
    return None if row is None or row[0] is None else (row[0], row[1])


def read(database_url: str, selection: LetterFilter, first: int, last: int) -> Iterator[Any]:
    """Arrow batches of those with ids from first to last. Raises PipelineProblem."""
    values = {**selection.values, "first": first, "last": last}
    try:
        with (
            connect(database_url, "reader", autocommit=False) as connection,
            connection.cursor(name="letters") as cursor,
        ):
            yield from as_batches(cursor.execute(sql("dataframes.read"), values), COLUMNS)
    except psycopg.Error as error:
        raise PipelineProblem(in_words(error)) from error


def as_ddl(columns: Mapping[str, str]) -> str:
    """Columns as Spark reads them."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def as_batches(cursor: psycopg.ServerCursor[Any], columns: Mapping[str, str]) -> Iterator[Any]:
    """The rows of a cursor, whose second column is the payload, as Arrow batches of these columns."""
    schema = _arrow_schema(columns)
    rows: list[Any] = []
    size = 0
    while page := cursor.fetchmany(FETCHED):
        rows += page
        size += sum(len(row[1] or b"") for row in page)
        if size > BATCH_BYTES:
            yield _batch(rows, schema)
            rows, size = [], 0
    if rows:
        yield _batch(rows, schema)


def _arrow_schema(columns: Mapping[str, str]) -> Any:
    import pyarrow as pa

    kinds = {
        "bigint": pa.int64(),
        "int": pa.int32(),
        "string": pa.string(),
        "binary": pa.binary(),
        "timestamp": pa.timestamp("us", "UTC"),
        "map<string,string>": pa.map_(pa.string(), pa.string()),
    }
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()])


def _batch(rows: list[Any], schema: Any) -> Any:
    import pyarrow as pa

    columns = [list(column) for column in zip(*rows, strict=True)]
    headers = schema.get_field_index("headers")
    columns[headers] = [_pairs(text) for text in columns[headers]]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _pairs(text: str) -> list[tuple[str, str]]:
    """A header is text here, as it is in a topic; any other value is its JSON."""
    headers = orjson.loads(text)
    return [(name, value if isinstance(value, str) else _json(value)) for name, value in headers.items()]


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
