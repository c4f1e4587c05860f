"""Plain SQL on a test's connection, as a person with psql would run it."""

from typing import Any

from django.db import connection


def rows(query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run a statement; its rows, none where it gives none. ``values``: in their order, or one mapping."""
    is_named = len(values) == 1 and isinstance(values[0], dict)
    with connection.cursor() as cursor:
        cursor.execute(query, values[0] if is_named else values or None)
        return cursor.fetchall() if cursor.description else []


def execute(query: str, *values: Any) -> None:
    """Run a statement; nobody asks for its rows."""
    rows(query, *values)


def row(query: str, *values: Any) -> tuple[Any, ...]:
    """The first row."""
    return rows(query, *values)[0]


def value(query: str, *values: Any) -> Any:
    """The first column of the first row; None where there is no row."""
    first = rows(query, *values)[:1]
    return first[0][0] if first else None


def column(query: str, *values: Any) -> list[Any]:
    """The first column of all rows."""
    return [first for first, *_rest in rows(query, *values)]
