"""Named queries in .sql files, and the few ways to run them. Each query is one atomic statement."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg

from dlqconsole.core.host import host

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def load(folder: Path, schema: Callable[[], str] = lambda: "public") -> Callable[[str], str]:
    """Return a function from ``noun.verb`` to the text of that query in ``noun.sql``, in or below the folder.

    A file is read when first asked for. A name that is not there is a KeyError. ``{schema}`` in a query is
    the schema of the tables, for names that no search_path may lead elsewhere.
    """

    @cache
    def queries(noun: str) -> dict[str, str]:
        (file,) = folder.rglob(f"{noun}.sql")
        text = file.read_text(encoding="utf-8")
        if "{schema}" in text:  # else nobody is asked: some queries are read while modules are imported
            text = text.replace("{schema}", schema())
        parts = _NAME.split(text)
        return dict(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))

    def sql(name: str) -> str:
        noun, verb = name.split(".")
        return queries(noun)[verb]

    return sql


def fetch_dicts(query: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Run a query. Return its rows as dictionaries by column name."""
    with host().cursor() as cursor:
        cursor.execute(query, values)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def fetch_column(query: str, values: Mapping[str, Any]) -> list[Any]:
    """Run a query. Return the first column of its rows."""
    with host().cursor() as cursor:
        cursor.execute(query, values)
        return [row[0] for row in cursor.fetchall()]


def execute(query: str, values: Mapping[str, Any]) -> int:
    """Run a query that returns no rows. Return the number of changed rows."""
    with host().cursor() as cursor:
        cursor.execute(query, values)
        return int(cursor.rowcount)


@contextmanager
def copy_rows(cursor: Any, statement: Any, values: Any = None) -> Iterator["psycopg.Copy"]:
    """Open a COPY that raises the errors of Django's cursors: Django lets psycopg's own through."""
    with host().errors(), cursor.copy(statement, values) as copy:
        yield copy
