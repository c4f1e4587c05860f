"""The columns of a table as canonical text, on which PostgreSQL and the file agree, and as Parquet has them.

Whatever columns a table has at this moment are archived: they are asked of the database, none is named here.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import orjson
import psycopg
from psycopg.sql import SQL, Composable, Identifier

from dlqconsole.contrib.archive.job.sql import sql

_INTEGERS = {"smallint": "int16", "integer": "int32", "bigint": "int64"}
_MOMENT = "timestamp with time zone"
_EPOCH = date(1970, 1, 1).toordinal()
# the whole microsecond: a number of seconds as a float would lose it after the year 2255
_AS_TEXT = {
    _MOMENT: SQL("(extract(epoch FROM {}) * 1000000)::bigint::text"),
    "bytea": SQL("encode({}, 'hex')"),
}
_FROM_TEXT = {
    _MOMENT: SQL(
        "timestamptz 'epoch' + ({0}::bigint / 1000000) * interval '1 second'"
        " + mod({0}::bigint, 1000000) * interval '1 microsecond'"
    ),
    "bytea": SQL("decode({}, 'hex')"),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column by name and by PostgreSQL's type."""

    name: str
    kind: str

    def as_text(self, row: str) -> Composable:
        """SQL: its value in a row of that alias as canonical text."""
        return _AS_TEXT.get(self.kind, SQL("{}::text")).format(Identifier(row, self.name))

    def from_text(self, text: Composable) -> Composable:
        """SQL: the value again."""
        plain = SQL("{}::" + self.kind)
        return _FROM_TEXT.get(self.kind, plain).format(text)

    def arrow(self) -> Any:
        """Its type in a file: what has none there is text, as PostgreSQL writes it."""
        import pyarrow

        if self.kind == _MOMENT:
            return pyarrow.timestamp("us", tz="UTC")
        if self.kind in _INTEGERS:
            return getattr(pyarrow, _INTEGERS[self.kind])()
        return pyarrow.binary() if self.kind == "bytea" else pyarrow.string()

    def value(self, text: str | None) -> Any:
        """Return the value for a file, from canonical text: a moment as whole microseconds."""
        if text is None:
            return None
        if self.kind == _MOMENT or self.kind in _INTEGERS:
            return int(text)
        return bytes.fromhex(text) if self.kind == "bytea" else text

    def text(self, value: Any) -> str | None:
        """Canonical text again, from what a file holds."""
        if value is None:
            return None
        if isinstance(value, datetime):
            return str(microseconds(value))
        return value.hex() if self.kind == "bytea" else str(value)


def microseconds(moment: datetime) -> int:
    """Return the microseconds since 1970, exactly."""
    there = moment.astimezone(UTC)
    seconds = (there.toordinal() - _EPOCH) * 86_400 + there.hour * 3_600 + there.minute * 60 + there.second
    return seconds * 1_000_000 + there.microsecond


def columns_of(connection: psycopg.Connection, table: str) -> tuple[Column, ...]:
    """The columns of a table of ours, in its order."""
    rows = connection.execute(sql("archive.columns"), {"table": table}).fetchall()
    return tuple(Column(name, kind) for name, kind in rows)


def texts(columns: Sequence[Column], row: str) -> Composable:
    """SQL: a row of that alias as an array of canonical texts."""
    return SQL("ARRAY[{}]::text[]").format(SQL(", ").join(column.as_text(row) for column in columns))


class Checksum:
    """``rows`` and ``total``: the sum of eight bytes of each row's SHA-256."""

    def __init__(self) -> None:
        self.rows = 0
        self.total = 0

    def add(self, rows: Iterable[Sequence[str | None]]) -> None:
        """Rows as canonical texts."""
        for row in rows:
            digest = hashlib.sha256(orjson.dumps(row)).digest()
            self.total += int.from_bytes(digest[:8], "big", signed=True)
            self.rows += 1

    def __str__(self) -> str:
        return str(self.total)
