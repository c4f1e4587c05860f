"""The audit log's rows as bytes, for hashing and for finding rows that differ.

A row is a line as COPY writes it, in UTC: columns are told apart by tabs, and what is in them is escaped, so
no two rows are the same line. All columns of the table are in it, whichever there are.
"""

import hashlib
from collections.abc import Iterator, Sequence

from django.conf import settings
from psycopg import sql

from dlqconsole.core.named_sql import copy_rows
from dlqconsole.hosting.database import connection

MARK = 4  # bytes: they only say which column of a row differs; that one does, the hash of the block says

_COLUMNS = """
    SELECT attname FROM pg_catalog.pg_attribute
    WHERE attrelid = %s::pg_catalog.regclass AND attnum > 0 AND NOT attisdropped
    ORDER BY attname <> 'id', attnum
"""
_COPY = sql.SQL(
    "COPY (SELECT {columns} FROM {log} WHERE id > {above} AND id <= {up_to} ORDER BY id {limit}) TO STDOUT"
)
# The format of a moment depends on the session. The rows are read by their key, whatever the statistics say
# of a table that only grows; and a million of them may take as long as they need.
_PLAIN = (
    "SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, YMD', true),"
    " set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),"
    " set_config('statement_timeout', '0', true)"
)


def _log() -> sql.Identifier:
    return sql.Identifier(settings.DLQ_SCHEMA, "audit_log")


def columns() -> list[str]:
    """Return the columns of the audit log as they are now, ``id`` first."""
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS, [_log().as_string()])
        return [name for (name,) in cursor.fetchall()]


def lines(names: Sequence[str], above: int, up_to: int, limit: int | None = None) -> Iterator[bytes]:
    """Yield the rows with ``above < id <= up_to`` in the order of their ids. Needs a transaction."""
    query = _COPY.format(
        log=_log(),
        columns=sql.SQL(", ").join(map(sql.Identifier, names)),
        above=sql.Literal(above),
        up_to=sql.Literal(up_to),
        limit=sql.SQL("LIMIT {}").format(sql.Literal(limit)) if limit else sql.SQL(""),
    )
    with connection.cursor() as cursor:
        cursor.execute(_PLAIN)
        with copy_rows(cursor, query) as copy:
            yield from map(bytes, copy)


def id_of(line: bytes) -> int:
    """Return the row's number."""
    return int(line[: line.index(b"\t")])


def mark(line: bytes, secret: bytes) -> bytes:
    """Return the row's number and a few bytes for each further column."""
    row_id, *cells = line.removesuffix(b"\n").split(b"\t")
    digest = hashlib.blake2b
    return int(row_id).to_bytes(8, "big", signed=True) + b"".join(
        [digest(cell, digest_size=MARK, key=secret).digest() for cell in cells]
    )


def by_row(marks: bytes, width: int) -> dict[int, list[bytes]]:
    """Split the marks of a block of ``width`` columns: the marks of the columns, by row."""
    size = 8 + MARK * (width - 1)
    rows = (marks[start : start + size] for start in range(0, len(marks), size))
    return {
        int.from_bytes(row[:8], "big", signed=True): [
            row[start : start + MARK] for start in range(8, len(row), MARK)
        ]
        for row in rows
    }
