"""Time limits of our statements, on a direct line and through a pooler in transaction mode.

No start-up options are used: a pooler refuses options that it does not know, or drops them silently. So
each new session is asked once whether PostgreSQL's own process answers. On a direct line the limits are
then set for the session. Behind a pooler the next transaction may be in any session: there the limits
travel with each transaction, in the round trip of its first statement.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import psycopg
from django.conf import settings
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg.sql import SQL, Composed, Literal

from dlqconsole.engine.errors import EngineError

# The web asks short questions; a stuck one must not hold a worker. What works long sets limits of its own.
LIMITS = {
    "statement_timeout": "30s",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "60s",
}
POOLED = (
    "{setting} leads through a pooler, where LISTEN, prepared statements and locks of a session do not last:"
    " a consumer, and migrate, need a direct line. Set DLQ_DIRECT_DATABASE_URL to PostgreSQL's own address."
)
_SETTLE = """
SELECT CASE WHEN pg_backend_pid() = %(pid)s
    THEN (SELECT count(set_config(name, value, false))
        FROM unnest(%(names)s::text[], %(values)s::text[]) s (name, value)) END
"""
_known_sessions: "WeakSet[psycopg.Connection[Any]]" = WeakSet()
# the first statement of each transaction of these
_behind_pooler: "WeakKeyDictionary[psycopg.Connection[Any], Composed]" = WeakKeyDictionary()
_direct_only = False


class NeedsDirectLine(EngineError):
    """This process cannot work through a pooler."""


class LimitsMixin:
    """A cursor whose transaction begins with its session's limits, where that is behind a pooler."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        raw: psycopg.Connection[Any] = self.connection  # type: ignore[attr-defined]
        if not _begins_transaction(raw):
            return super().execute(query, params, **options)  # type: ignore[misc]
        if not raw.autocommit:
            psycopg.Cursor(raw).execute(_behind_pooler[raw])
            return super().execute(query, params, **options)  # type: ignore[misc]
        # statements between two Syncs of the protocol are one transaction
        with raw.pipeline():
            psycopg.Cursor(raw).execute(_behind_pooler[raw])
            return super().execute(query, params, **options)  # type: ignore[misc]


class LimitedCursor(LimitsMixin, psycopg.Cursor[Any]):
    """psycopg's own cursor with these limits."""


def settle(raw: "psycopg.Connection[Any]", **more: str) -> bool:
    """Set the limits of a new session, and ``more`` settings. Tell whether it is a direct line."""
    limits = LIMITS | more
    values = {"pid": raw.info.backend_pid, "names": list(limits), "values": list(limits.values())}
    row = psycopg.Cursor(raw).execute(_SETTLE, values, prepare=False).fetchone()
    if row and row[0]:
        return True
    _behind_pooler[raw] = _local(limits)
    raw.prepare_threshold = None
    raw.cursor_factory = _with_limits(raw.cursor_factory)
    return False


def is_pooled(raw: "psycopg.Connection[Any]") -> bool:
    """Tell whether a pooler stands between."""
    return raw in _behind_pooler


def limits_of(raw: "psycopg.Connection[Any]") -> Composed | None:
    """Return the first statement of a transaction built by hand; None on a direct line."""
    return _behind_pooler.get(raw)


def settle_new(*, connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Set the limits when Django has connected. A pool of ours gives the same sessions again."""
    raw = connection.connection
    if connection.vendor != "postgresql" or raw in _known_sessions:
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


def _begins_transaction(raw: "psycopg.Connection[Any]") -> bool:
    return (
        raw in _behind_pooler
        and raw.pgconn.transaction_status == TransactionStatus.IDLE
        and raw.pgconn.pipeline_status == PipelineStatus.OFF
    )


def _local(limits: dict[str, str]) -> Composed:
    calls = [
        SQL("set_config({}, {}, true)").format(Literal(name), Literal(value))
        for name, value in limits.items()
    ]
    return SQL("SELECT {}").format(SQL(", ").join(calls))


def _with_limits(factory: type[Any]) -> type[Any]:
    return (
        factory
        if issubclass(factory, LimitsMixin)
        else type(f"Limited{factory.__name__}", (LimitsMixin, factory), {})
    )
