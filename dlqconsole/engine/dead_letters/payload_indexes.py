"""Indexes of payloads, which an administrator switches on: of one path, or of all values.

They cost whoever writes dead letters a little, and room: nobody has one without asking (``manage.py index``).
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DatabaseError
from psycopg.sql import SQL, Composable, Identifier, Literal

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import connection

# the index of all values; those of paths have a hash of theirs behind it
VALUES = "dlq_events_payload"


def has_values() -> bool:
    """Tell whether all values of payloads are indexed."""
    return bool(fetch_column(sql("payload_indexes.is_there"), {"name": VALUES}))


def list_indexes() -> list[dict[str, Any]]:
    """List payload indexes: ``name``, ``path`` (none: all values), ``bytes``, ``uses``, ``is_valid``."""
    return fetch_dicts(sql("payload_indexes.listed"), {"name": VALUES})


def knows(paths: list[str]) -> bool:
    """Tell whether an index finds values at any of these paths."""
    indexes = [row["path"] for row in list_indexes() if row["is_valid"]]
    return "" in indexes or any(path in indexes for path in paths)


def name_of(path: str) -> str:
    """Return the name of a path's index; of an empty path: that of all values."""
    return (
        f"{VALUES}_{hashlib.md5(path.encode(), usedforsecurity=False).hexdigest()[:12]}" if path else VALUES
    )


def make(path: str) -> None:
    """Build the index of a path, or of all values, while others go on writing. It may take long."""
    name = Identifier(name_of(path))
    definition: Composable = SQL("USING gin (payload)")
    if path:
        # of the beginning: a value that is longer than a page of the index must not keep a dead letter out
        value = SQL("left(payload #>> {}::text[], 200)").format(Literal(path.split(".")))
        definition = SQL("(({value})) WHERE {value} IS NOT NULL").format(value=value)
    with _unlimited_cursor() as cursor:
        try:
            cursor.execute(SQL("CREATE INDEX CONCURRENTLY {} ON dlq_events {}").format(name, definition))
        except DatabaseError:
            cursor.execute(SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(name))
            raise
        if path:
            cursor.execute(SQL("COMMENT ON INDEX {} IS {}").format(name, Literal(path)))
        cursor.execute("ANALYZE dlq_events")


def drop(path: str) -> None:
    """Drop the index of a path, or of all values."""
    with _unlimited_cursor() as cursor:
        cursor.execute(SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(Identifier(name_of(path))))


@contextmanager
def _unlimited_cursor() -> Iterator[Any]:
    """Open a cursor whose statements may take their time, in no transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0; SET lock_timeout = 0")
        try:
            yield cursor
        finally:
            cursor.execute("RESET statement_timeout; RESET lock_timeout")
