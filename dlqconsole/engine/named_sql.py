"""Named queries in .sql files, and the few ways to run them. Each query is one atomic statement."""

from collections.abc import Mapping
from typing import Any

from django.db import connection

from dlqconsole.statements.loading import load

__all__ = ["execute", "fetch_column", "fetch_dicts", "load"]


def fetch_dicts(query: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Run a query. Return its rows as dictionaries by column name."""
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def fetch_column(query: str, values: Mapping[str, Any]) -> list[Any]:
    """Run a query. Return the first column of its rows."""
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return [row[0] for row in cursor.fetchall()]


def execute(query: str, values: Mapping[str, Any]) -> int:
    """Run a query that returns no rows. Return the number of changed rows."""
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return int(cursor.rowcount)
