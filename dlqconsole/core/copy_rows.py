"""COPY through a cursor of the host's."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from dlqconsole.core.host import host


@contextmanager
def copy_rows(cursor: Any, statement: Any, values: Any = None) -> Iterator["psycopg.Copy"]:
    """Open a COPY that raises the errors of Django's cursors: Django lets psycopg's own through."""
    with host().errors(), cursor.copy(statement, values) as copy:
        yield copy
