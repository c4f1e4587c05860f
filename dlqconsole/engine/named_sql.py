"""Named queries in .sql files, and the few ways to run them. Each query is one atomic statement."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def load(folder: Path) -> Callable[[str], str]:
    """Return a function from ``noun.verb`` to the text of that query in ``noun.sql``, in or below the folder.

    A file is read when first asked for. A name that is not there is a KeyError.
    """

    @cache
    def queries(noun: str) -> dict[str, str]:
        (file,) = folder.rglob(f"{noun}.sql")
        parts = _NAME.split(file.read_text())
        return dict(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))

    def sql(name: str) -> str:
        noun, verb = name.split(".")
        return queries(noun)[verb]

    return sql


def fetch_dicts(query: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Run a query; its rows as dictionaries by column name."""
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def fetch_column(query: str, values: Mapping[str, Any]) -> list[Any]:
    """Run a query; the first column of its rows."""
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return [row[0] for row in cursor.fetchall()]


def execute(query: str, values: Mapping[str, Any]) -> int:
    """Run a query that returns no rows; how many it changed."""
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return int(cursor.rowcount)
