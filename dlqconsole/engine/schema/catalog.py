"""What a database says of its own tables, functions and indexes: rows of ``catalog.sql``, found by name."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql

type Row = dict[str, Any]
type Rows = dict[str, list[Row]]


@dataclass(frozen=True, slots=True)
class Catalog:
    """Tables, views, types and functions by their own name; the rest by the name of what it belongs to."""

    tables: Rows
    views: Rows
    types: Rows
    functions: Rows
    columns: Rows
    constraints: Rows
    indexes: Rows
    triggers: Rows

    def names(self) -> set[str]:
        """All that has a place of its own in the file."""
        return {*self.tables, *self.views, *self.types, *self.functions}


def read() -> Catalog:
    """The catalog of the database that Django is connected to."""
    return Catalog(
        tables=_by("name", "tables"),
        views=_by("name", "views"),
        types=_by("name", "types"),
        functions=_by("name", "functions"),
        columns=_by("of", "columns"),
        constraints=_by("of", "constraints"),
        indexes=_by("of", "indexes"),
        triggers=_by("calls", "triggers"),
    )


def _by(key: str, what: str) -> Rows:
    found: Rows = defaultdict(list)
    rows: Iterable[Row] = fetch_dicts(sql(f"catalog.{what}"), {})
    for row in rows:
        found[row[key]].append(row)
    return dict(found)
