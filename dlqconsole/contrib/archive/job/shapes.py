"""The archived tables: what belongs to each of their rows, and how both are one row of a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import psycopg
from psycopg.sql import SQL, Composable, Identifier

from dlqconsole.contrib.archive.job.columns import Column, columns_of, texts

# The layout of the files; a reader of a later version still knows those before it.
VERSION = 1

type Texts = list[str | None]


@dataclass(frozen=True, slots=True)
class ArchivedKind:
    """One archived table. ``children``: for each column of the file that holds them, table and reference."""

    name: str
    noun: str
    table: str
    children: tuple[tuple[str, str, str], ...] = ()


DEAD_LETTERS = ArchivedKind(
    "dead_letters",
    "dead letters",
    "dlq_events",
    (("attempts", "dlq_attempts", "dlq_event_id"), ("payload_versions", "payload_versions", "dlq_event_id")),
)
RECORDS = ArchivedKind("enriched_events", "records", "enriched_events")
KINDS = {kind.name: kind for kind in (DEAD_LETTERS, RECORDS)}


@dataclass(frozen=True, slots=True)
class Child:
    """Rows of another table that belong to a row."""

    name: str
    table: str
    reference: str
    columns: tuple[Column, ...]

    def as_text(self, row: str) -> Composable:
        """SQL: all of them as one JSON text; NULL where there is none."""
        return SQL(
            "(SELECT to_json(array_agg(to_json({texts})::text ORDER BY c.id))::text"
            " FROM {table} c WHERE c.{reference} = {row}.id)"
        ).format(
            texts=texts(self.columns, "c"),
            table=Identifier(self.table),
            reference=Identifier(self.reference),
            row=Identifier(row),
        )

    def arrow(self) -> Any:
        """A list of structs."""
        import pyarrow

        return pyarrow.list_(pyarrow.struct([(each.name, each.arrow()) for each in self.columns]))

    def value(self, text: str | None) -> Any:
        """Return the value for a file, from canonical text."""
        if text is None:
            return None
        return [
            {column.name: column.value(one) for column, one in zip(self.columns, row, strict=True)}
            for row in self.rows(text)
        ]

    def text(self, value: Any) -> str | None:
        """Canonical text again, from what a file holds."""
        if value is None:
            return None
        rows = [[column.text(row[column.name]) for column in self.columns] for row in value]
        return orjson.dumps([orjson.dumps(row).decode() for row in rows]).decode()

    @staticmethod
    def rows(text: str) -> Iterator[Texts]:
        """Each row's canonical texts."""
        return map(orjson.loads, orjson.loads(text))


@dataclass(frozen=True, slots=True)
class TableShape:
    """A kind with the columns that its tables have now, or had when a file was written."""

    kind: ArchivedKind
    columns: tuple[Column, ...]
    children: tuple[Child, ...]

    @property
    def parts(self) -> tuple[Column | Child, ...]:
        """The columns of a file."""
        return (*self.columns, *self.children)

    @classmethod
    def of(cls, connection: psycopg.Connection, kind: ArchivedKind) -> "TableShape":
        """Return it as the database has it now."""
        children = (
            Child(name, table, reference, columns_of(connection, table))
            for name, table, reference in kind.children
        )
        return cls(kind, columns_of(connection, kind.table), tuple(children))

    @classmethod
    def read(cls, description: Mapping[str, Any]) -> "TableShape":
        """Read it from a file's description (``describe``, the other way)."""
        kind = KINDS[description["kind"]]
        tables = {name: (table, reference) for name, table, reference in kind.children}
        children = (
            Child(name, *tables[name], _columns(columns)) for name, columns in description["children"].items()
        )
        return cls(kind, _columns(description["columns"]), tuple(children))

    def describe(self) -> dict[str, Any]:
        """Describe it for a file, which keeps that beside its rows."""
        children = {child.name: _pairs(child.columns) for child in self.children}
        return {"kind": self.kind.name, "columns": _pairs(self.columns), "children": children}

    def row(self) -> Composable:
        """SQL: a row of the table, alias ``t``, and what belongs to it, as an array of canonical texts."""
        return SQL("ARRAY[{}]::text[]").format(SQL(", ").join(part.as_text("t") for part in self.parts))

    def place(self, name: str) -> int:
        """Return the position of a column's text in a row."""
        return next(place for place, part in enumerate(self.parts) if part.name == name)


def _pairs(columns: Sequence[Column]) -> list[list[str]]:
    return [[column.name, column.kind] for column in columns]


def _columns(pairs: Sequence[Sequence[str]]) -> tuple[Column, ...]:
    return tuple(Column(name, kind) for name, kind in pairs)
