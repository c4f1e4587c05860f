"""Prepared statements on Django's own connection, for the few that run thousands of times a second.

Django sends every statement as new text, to be parsed and planned again; planning a claim costs more than
running it. These are prepared once a connection, and several can go to the server in one transaction and one
round trip.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import psycopg
from django.db import connection

type Rows = Callable[[], list[tuple[Any, ...]]]

# connections that were told to keep the plans of their prepared statements
_KEEP_PLANS: "WeakSet[psycopg.Connection[Any]]" = WeakSet()


def run(query: str, values: Mapping[str, Any]) -> Rows:
    """Run a statement that returns rows, prepared; a function that gives them once ``together`` has ended.

    Raises the errors that Django's cursors raise.
    """
    with connection.wrap_database_errors:
        cursor = psycopg.Cursor(_raw_connection())
        cursor.execute(query, values, prepare=True, binary=True)

    def rows() -> list[tuple[Any, ...]]:
        with connection.wrap_database_errors:
            return cursor.fetchall()

    return rows


@contextmanager
def together() -> Iterator[None]:
    """Send what is run inside at once, as one transaction: it costs one round trip and one flush.

    An error in any of the statements is raised at the end, and nothing of them remains. Asking for rows
    inside ends the transaction early.
    """
    raw = _raw_connection()
    # what stands between two Syncs of the protocol is one transaction, without BEGIN and COMMIT
    with connection.wrap_database_errors, raw.pipeline():
        yield


def _raw_connection() -> "psycopg.Connection[Any]":
    connection.ensure_connection()
    raw: psycopg.Connection[Any] = connection.connection
    # Django turns preparing off for the whole connection. Its own cursors never prepare, ours ask for it.
    raw.prepare_threshold = 5
    if raw not in _KEEP_PLANS and not connection.in_atomic_block:  # a rollback would undo it
        # The shapes do not depend on the values (limits are written into the text), so one plan serves all.
        raw.execute("SET plan_cache_mode = force_generic_plan")
        _KEEP_PLANS.add(raw)
    return raw
