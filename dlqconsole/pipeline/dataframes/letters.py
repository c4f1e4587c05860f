"""Dead letters as a frame: those that its reader asks for, in batches that fit in memory.

A reader asks by options, and by what Spark pushes down of a WHERE.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from dlqconsole.pipeline.database import session
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.sql import sql

# the columns of the frame by which the database looks
LISTS = ("status", "type", "source", "category", "error_class", "group_id")
MOMENT = "dead_lettered_at"
MOMENTS = ("since", "until")
OPTIONS = (*LISTS, *MOMENTS, "url", "partitions")
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


# what a reader asks for: the parameters of the named queries; None: any value. ``until`` is not in it
type LetterFilter = dict[str, Any]


def filter_of(options: Mapping[str, str]) -> LetterFilter:
    """Read the options, whose lists are comma-separated. Raises BadRequest."""
    check_names(options, OPTIONS, "read")
    return {name: _option(name, options[name]) if name in options else None for name in (*LISTS, *MOMENTS)}


def push_filters(selection: LetterFilter, filters: Iterable[Any]) -> tuple[LetterFilter, list[Any]]:
    """Return the selection narrowed by Spark's filters, and the filters that Spark still has to apply."""
    remaining_filters = []
    for each in filters:
        narrower = _narrow(selection, each)
        if narrower is None:
            remaining_filters.append(each)
        else:
            selection = narrower
    return selection, remaining_filters


def _narrow(selection: LetterFilter, each: Any) -> LetterFilter | None:
    from pyspark.sql.datasource import EqualTo, GreaterThanOrEqual, In, IsNotNull, LessThan

    column = each.attribute[0] if len(getattr(each, "attribute", ())) == 1 else None
    match each:
        case IsNotNull() if column in (*LISTS, MOMENT):
            return selection  # none of these columns is ever NULL
        case EqualTo() if column in LISTS:
            return _only(selection, column, [each.value])
        case In() if column in LISTS:
            return _only(selection, column, each.value)
        case GreaterThanOrEqual(value=datetime(tzinfo=zone) as since) if column == MOMENT and zone:
            return selection | {"since": max(since, selection["since"] or since)}
        case LessThan(value=datetime(tzinfo=zone) as until) if column == MOMENT and zone:
            return selection | {"until": min(until, selection["until"] or until)}
    return None


def _only(selection: LetterFilter, name: str, values: Iterable[Any]) -> LetterFilter:
    before = selection[name]
    return selection | {name: [value for value in values if before is None or value in before]}


def check_names(options: Mapping[str, str], names: Iterable[str], what: str) -> None:
    """Raise BadRequest for an unknown option: a mistyped filter would count everything."""
    for name in options:
        if name.lower() not in names:
            raise BadRequest(f"there is no option {name}; to {what} there are {', '.join(names)}")


def _option(name: str, text: str) -> Any:
    words = [word.strip() for word in text.split(",") if word.strip()]
    try:
        if name in MOMENTS:
            moment = datetime.fromisoformat(text)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return list(map(int, words)) if name == "group_id" else words
    except ValueError:
        kind = "numbers of groups" if name == "group_id" else "a moment like 2026-01-31T12:00:00Z"
        raise BadRequest(f"option {name} takes {kind}, not {text!r}") from None


def ranges(first: int, last: int, most: int) -> Iterator[tuple[int, int]]:
    """Cut the ids from first to last into at most so many ranges."""
    size = max(1, -(-(last - first + 1) // most))
    for start in range(first, last + 1, size):
        yield start, min(start + size - 1, last)


def bounds(database_url: str, selection: LetterFilter) -> tuple[int, int] | None:
    """Return the first and the last id of the selection; None for none. Raises PipelineProblem."""
    with session(database_url, "reader") as connection:
        row = connection.execute(sql("dataframes.bounds"), selection).fetchone()
    return None if row is None or row[0] is None else (row[0], row[1])


def read(database_url: str, selection: LetterFilter, first: int, last: int) -> Iterator[Any]:
    """Arrow batches of those with ids from first to last. Raises PipelineProblem."""
    values = {**selection, "first": first, "last": last}
    return as_batches(database_url, "dataframes.read", values, COLUMNS)


def as_ddl(columns: Mapping[str, str]) -> str:
    """Columns as Spark reads them."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def as_batches(
    database_url: str, query: str, values: Mapping[str, Any], columns: Mapping[str, str]
) -> Iterator[Any]:
    """The rows of a query, whose second column is the payload, as Arrow batches of these columns."""
    schema = _arrow_schema(columns)
    rows: list[Any] = []
    size = 0
    with (
        session(database_url, "reader", autocommit=False) as connection,
        connection.cursor(name="reader") as cursor,
    ):
        cursor.execute(sql(query), values)
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
    return [
        (name, value if isinstance(value, str) else orjson.dumps(value).decode())
        for name, value in headers.items()
    ]
