"""The connection of one lock: statements that commit by themselves, by the clock that the fleet agreed on."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import psycopg
from django.conf import settings
from psycopg.errors import DeadlockDetected, LockNotAvailable, SerializationFailure, UniqueViolation

from dlqconsole.engine.database import sessions
from dlqconsole.engine.sql import sql

# somebody else was at the row at this very moment
Conflict = (UniqueViolation, SerializationFailure, DeadlockDetected, LockNotAvailable)
# nobody knows whether the statement happened
Unreachable = (psycopg.OperationalError, psycopg.InterfaceError)

DATABASE_NOW = "timezone('utc', CURRENT_TIMESTAMP)"
CLIENT_NOW = "%(now)s::timestamp"


def utc_now() -> datetime:
    """Return this host's clock as ShedLock's client time: UTC without a zone, in whole milliseconds."""
    now = datetime.now(UTC).replace(tzinfo=None)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


class LockSession:
    """An autocommit connection of its own; ``renew`` makes it anew when it broke.

    ``clock`` says the time in client-time mode (``DLQ_LOCK_TIME=client``), and is not asked in the other.
    Raises OperationalError when the database is away.
    """

    def __init__(self, clock: Callable[[], datetime] = utc_now) -> None:
        self._by_client = settings.DLQ_LOCK_TIME == "client"
        self._clock = clock
        self._connection = _open()

    def changes(self, query: str, values: Mapping[str, Any]) -> bool:
        """Tell whether the statement changed a row."""
        return self._execute(query, values).rowcount > 0

    def row(self, query: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Return the row that a query finds, or None."""
        return self._execute(query, values).fetchone()

    def renew(self) -> bool:
        """Open a new connection in place of a broken one; False when there is none to be had."""
        self.close()
        try:
            self._connection = _open()
        except psycopg.OperationalError:
            return False
        return True

    def close(self) -> None:
        """Close the connection. A lock does not need it: its row is what counts."""
        self._connection.close()

    def _execute(self, query: str, values: Mapping[str, Any]) -> psycopg.Cursor[tuple[Any, ...]]:
        if self._by_client:
            return self._connection.execute(
                sql(query).format(now=CLIENT_NOW), {**values, "now": self._clock()}
            )
        return self._connection.execute(sql(query).format(now=DATABASE_NOW), values)


def _open() -> psycopg.Connection[tuple[Any, ...]]:
    """Connect so that nothing waits longer than a lock lasts: no dead network, no other's open row."""
    return sessions.own_connection(lock_timeout="5s", connect_timeout=5, tcp_user_timeout=10_000)
