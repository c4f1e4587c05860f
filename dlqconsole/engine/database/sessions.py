"""The sessions that Django opens: their time limits, and whether a pooler stands between."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import psycopg
from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from dlqconsole.core.errors import EngineError
from dlqconsole.core.sessions import LIMITS, settle
from dlqconsole.hosting.database import alias, connection

POOLED = (
    "{setting} leads through a pooler, where LISTEN, prepared statements and locks of a session do not last:"
    " a consumer, and migrate, need a direct line. Set DLQ_DIRECT_DATABASE_URL to PostgreSQL's own address."
)
_known_sessions: "WeakSet[psycopg.Connection[Any]]" = WeakSet()
_direct_only = False


class NeedsDirectLine(EngineError):
    """This process cannot work through a pooler."""


def settle_new(*, connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Set the limits when Django has connected. A pool of ours gives the same sessions again."""
    raw = connection.connection
    if connection.alias != alias() or connection.vendor != "postgresql" or raw in _known_sessions:
        return
    _known_sessions.add(raw)
    if settle(raw):
        return
    # a cursor of the server would live on in a session that is somebody else's by then
    connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"] = True
    if _direct_only:
        connection.close()
        name = "DLQ_DIRECT_DATABASE_URL" if settings.DLQ_DIRECT_DATABASE else "DATABASE_URL"
        raise NeedsDirectLine(POOLED.format(setting=name))


def need_direct_line() -> None:
    """Connect by DLQ_DIRECT_DATABASE_URL from here on, if that is set, and refuse a pooler."""
    global _direct_only
    _direct_only = True
    if settings.DLQ_DIRECT_DATABASE:
        connections.close_all()
        connection.settings_dict.update(settings.DLQ_DIRECT_DATABASE)


@contextmanager
def long_statements() -> Iterator[None]:
    """Lift this process's statement limit in the block: a person waits, and can stop it."""
    before = LIMITS["statement_timeout"]
    _let_run("0")
    try:
        yield
    finally:
        _let_run(before)


def _let_run(limit: str) -> None:
    LIMITS["statement_timeout"] = limit
    if connection.connection is not None and not connection.in_atomic_block and connection.is_usable():
        settle(connection.connection)
