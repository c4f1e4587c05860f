"""Fleet-wide locks in the table ``shedlock``, by ShedLock's contract: a Java fleet can share them.

A lock is a lease: it keeps two schedulers from doing the same work, and runs out by itself when its holder
dies. It is no fence: whoever works under one must still move rows by compare-and-set.

Every statement commits by itself on a connection of its own. Within somebody's open transaction the
database's CURRENT_TIMESTAMP would stand still, and a lock could be born already expired.
"""

import os
import socket
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

import psycopg
from django.db import connection
from psycopg.errors import SerializationFailure, UniqueViolation

from dlqconsole.engine.errors import EngineError, LockHeld
from dlqconsole.engine.sql import sql

NAME_LIMIT = 64
HOLDER_LIMIT = 255
RELEASE_ATTEMPTS = 10


class LockMisused(EngineError):
    """A lock was extended or released through a handle that had already been used up."""


@dataclass(frozen=True, slots=True)
class Holder:
    """What the table says about a lock. Times are UTC; ``held`` by the database's clock."""

    name: str
    locked_by: str
    locked_at: datetime
    until: datetime
    held: bool


class ShedLock:
    """A lock by name, held ``at_most`` seconds unless extended, and ``at_least`` so many.

    ``acquire()`` never waits: it returns a handle, or None when somebody else holds the lock.
    In a ``with`` block it raises LockHeld instead, and ``keep()`` holds it for as long as the work takes.
    """

    def __init__(self, name: str, *, at_most: float, at_least: float = 0.0) -> None:
        if not name or len(name) > NAME_LIMIT:
            raise ValueError(f"A lock's name has 1 to {NAME_LIMIT} characters; {name!r} has {len(name)}.")
        _check_times(at_most, at_least)
        self.name, self.at_most, self.at_least = name, at_most, at_least
        self._handle: Handle | None = None
        self._extended = 0.0

    def acquire(self) -> "Handle | None":
        """Take the lock if nobody holds it."""
        by, session = _holder_name(), _Session()
        try:
            if session.changes("locks.acquire", {"name": self.name, "at_most": self.at_most, "by": by}):
                return Handle(self.name, by, self.at_least, session)
        except (UniqueViolation, SerializationFailure):
            pass  # somebody else was taking it at this very moment
        except BaseException:
            session.close()
            raise
        session.close()
        return None

    def __enter__(self) -> Self:
        self._handle, self._extended = self.acquire(), time.monotonic()
        if self._handle is None:
            raise _lock_held(self.name)
        return self

    def __exit__(self, *error: object) -> None:
        if self._handle is not None:
            self._handle.release()

    def keep(self) -> bool:
        """Extend once a third of ``at_most`` has passed; False when the lock is lost: then stop working."""
        if self._handle is not None and time.monotonic() - self._extended >= self.at_most / 3:
            self._extended = time.monotonic()
            self._handle = self._handle.extend(self.at_most, self.at_least)
        return self._handle is not None


class Handle:
    """A lock that is held. The first ``extend`` or ``release`` uses it up."""

    def __init__(self, name: str, by: str, at_least: float, session: "_Session") -> None:
        self.name, self.locked_by = name, by
        self._at_least, self._session = at_least, session
        self._used = False

    def extend(self, at_most: float, at_least: float = 0.0) -> "Handle | None":
        """Hold the lock for ``at_most`` seconds from now: a new handle, or None when the lock is lost."""
        _check_times(at_most, at_least)
        self._use_up()
        if self._session.changes(
            "locks.extend", {"name": self.name, "at_most": at_most, "by": self.locked_by}
        ):
            return Handle(self.name, self.locked_by, at_least, self._session)
        self._session.close()
        return None

    def release(self) -> bool:
        """Give the lock up, once its ``at_least`` has passed; False when it was not ours any more."""
        self._use_up()
        values = {"name": self.name, "at_least": self._at_least, "by": self.locked_by}
        try:
            return self._session.changes("locks.release", values, attempts=RELEASE_ATTEMPTS)
        finally:
            self._session.close()

    def _use_up(self) -> None:
        if self._used:
            raise LockMisused(f"This handle on the lock {self.name} was already extended or released.")
        self._used = True


def holder(name: str) -> Holder | None:
    """Who holds, or last held, the lock; None when nobody ever did."""
    session = _Session()
    try:
        row = session.row("locks.holder", {"name": name})
    finally:
        session.close()
    if row is None:
        return None
    locked_by, locked_at, until, held = row
    # the table's times have no zone and mean UTC
    return Holder(name, locked_by, locked_at.replace(tzinfo=UTC), until.replace(tzinfo=UTC), held)


class _Session:
    """An autocommit connection of its own, made anew when it breaks."""

    def __init__(self) -> None:
        self._connection = self._connect()

    def changes(self, query: str, values: Mapping[str, Any], attempts: int = 2) -> bool:
        """Whether the statement changed a row. Repeating it after a broken connection does no harm."""
        for _ in range(attempts - 1):
            try:
                return self._connection.execute(sql(query), values).rowcount > 0
            except psycopg.OperationalError:
                self.close()
                self._connection = self._connect()
        return self._connection.execute(sql(query), values).rowcount > 0

    def row(self, query: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        return self._connection.execute(sql(query), values).fetchone()

    def close(self) -> None:
        self._connection.close()

    @staticmethod
    def _connect() -> psycopg.Connection[tuple[Any, ...]]:
        # Django's own parameters, less what only its wrapper understands
        parameters = dict(connection.get_connection_params())
        for name in ("context", "cursor_factory", "prepare_threshold"):
            parameters.pop(name, None)
        return psycopg.connect(**parameters, autocommit=True)


def _holder_name() -> str:
    """Never the same twice, so that a stale holder can neither extend nor release its successor's lock."""
    unique = f":{os.getpid()}:{uuid.uuid4()}"
    return socket.gethostname()[: HOLDER_LIMIT - len(unique)] + unique


def _check_times(at_most: float, at_least: float) -> None:
    if not 0 <= at_least <= at_most:
        raise ValueError(f"A lock cannot be held at least {at_least} s and at most {at_most} s.")


def _lock_held(name: str) -> LockHeld:
    found = holder(name)
    if found is None:
        return LockHeld(name, "somebody", "it is released")
    return LockHeld(name, found.locked_by, f"{found.until:%Y-%m-%d %H:%M:%S}")
