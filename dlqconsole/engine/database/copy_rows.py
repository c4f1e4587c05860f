"""COPY through a cursor of Django's."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg


@contextmanager
def copy_rows(cursor: Any, statement: Any, values: Any = None) -> Iterator["psycopg.Copy"]:
    """Open a COPY that raises the errors of Django's cursors: Django lets psycopg's own through."""
    with cursor.db.wrap_database_errors, cursor.copy(statement, values) as copy:
        yield copy
