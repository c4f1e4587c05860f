"""Time limits and schema of our statements, on a direct line and through a pooler in transaction mode.

No start-up options are used: a pooler refuses options that it does not know, or drops them silently. So
each new session is asked once whether PostgreSQL's own process answers. On a direct line both are then set
for the session. Behind a pooler the next transaction may be in any session: there they travel with each
transaction, in the round trip of its first statement.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg.sql import SQL, Composed, Literal

from dlqconsole.core.schema import search_path
from dlqconsole.core.settings import settings

# The web asks short questions; a stuck one must not hold a worker. What works long sets limits of its own.
LIMITS = {
    "statement_timeout": "30s",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "60s",
    # to compile takes longer than any statement of ours runs
    "jit": "off",
}
_SETTLE = """
SELECT CASE WHEN pg_backend_pid() = %(pid)s
    THEN (SELECT count(set_config(name, value, false))
        FROM unnest(%(names)s::text[], %(values)s::text[]) s (name, value)) END
"""
# the first statement of each transaction of these
_behind_pooler: "WeakKeyDictionary[psycopg.Connection[Any], Composed]" = WeakKeyDictionary()


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

    @contextmanager
    def copy(self, statement: Any, params: Any = None, **options: Any) -> Iterator[psycopg.Copy]:
        raw: psycopg.Connection[Any] = self.connection  # type: ignore[attr-defined]
        begins = _begins_transaction(raw)
        # no COPY in a pipeline
        with raw.transaction() if begins and raw.autocommit else nullcontext():
            if begins:
                psycopg.Cursor(raw).execute(_behind_pooler[raw])
            with super().copy(statement, params, **options) as copy:  # type: ignore[misc]
                yield copy


class LimitedCursor(LimitsMixin, psycopg.Cursor[Any]):
    """psycopg's own cursor with these limits."""


def settle(raw: "psycopg.Connection[Any]", **more: str) -> bool:
    """Set limits, schema and ``more`` settings of a new session. Tell whether it is a direct line."""
    limits = LIMITS | {"search_path": search_path(settings.DLQ_SCHEMA, settings.DLQ_USERS_SCHEMA)} | more
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
