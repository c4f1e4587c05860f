"""Sessions of this process: Django's, with their time limits, lent to the core; and one beside them."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from weakref import WeakSet

import psycopg
from django.conf import settings
from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from dlqconsole.core.errors import EngineError
from dlqconsole.core.host import Connection
from dlqconsole.core.sessions import LIMITS, settle
from dlqconsole.hosting.database import alias, connection, transaction

POOLED = (
    "{setting} leads through a pooler, where LISTEN, prepared statements and locks of a session do not last:"
    " a consumer, and migrate, need a direct line. Set DLQ_DIRECT_DATABASE_URL to PostgreSQL's own address."
)
_known_sessions: "WeakSet[psycopg.Connection[Any]]" = WeakSet()
_direct_only = False

_DJANGO_ONLY = ("cursor_factory", "context", "prepare_threshold")


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


class DjangoHost:
    """The host of every process with Django."""

    error = Error

    def connection(self) -> Connection:
        database = _database()
        database.close_if_health_check_failed()
        database.ensure_connection()
        raw: Connection = database.connection
        return raw

    def cursor(self) -> AbstractContextManager[Any]:
        return _database().cursor()

    def atomic(self) -> AbstractContextManager[Any]:
        return transaction.atomic()

    def in_transaction(self) -> bool:
        return bool(_database().in_atomic_block)

    def errors(self) -> AbstractContextManager[Any]:
        errors: AbstractContextManager[Any] = _database().wrap_database_errors
        return errors

    def close(self) -> None:
        _database().close()


def _database() -> BaseDatabaseWrapper:
    return connections[alias()]


def own_connection(lock_timeout: str = "10s", **defaults: Any) -> "psycopg.Connection[tuple[Any, ...]]":
    """Open one to the same database, in autocommit: inside a transaction a listener hears nothing.

    ``defaults`` are parameters of libpq; what DATABASE_URL says about them counts more.
    """
    parameters = connection.get_connection_params()
    for name in _DJANGO_ONLY:
        parameters.pop(name, None)
    # a dead network is noticed within a minute
    keepalives = {"keepalives_idle": 20, "keepalives_interval": 5, "keepalives_count": 3}
    parameters = keepalives | defaults | parameters
    own = psycopg.connect(**parameters, autocommit=True)
    # a heartbeat goes by key, however small the table was when its plan was made
    settle(own, enable_seqscan="off", lock_timeout=lock_timeout)
    return own
