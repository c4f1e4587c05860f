"""ShedLock's lock, as its contract has it: taken or not taken, extended or lost, never waited for."""

import logging
import os
import socket
import time
import uuid
from collections.abc import Callable
from datetime import datetime

from dlqconsole.core.errors import EngineError
from dlqconsole.engine.database.locks.session import Conflict, LockSession, Unreachable, utc_now

log = logging.getLogger(__name__)

NAME_LIMIT = 64
HOLDER_LIMIT = 255
EXTEND_ATTEMPTS = 3
RELEASE_ATTEMPTS = 10


class LockMisused(EngineError):
    """A lock was extended or released through a handle that had already been used up."""


class ShedLock:
    """A lock by name, held ``at_most`` seconds unless extended, and ``at_least`` so many."""

    def __init__(
        self,
        name: str,
        *,
        at_most: float,
        at_least: float = 0.0,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        if not name or len(name) > NAME_LIMIT:
            raise ValueError(f"A lock's name has 1 to {NAME_LIMIT} characters; {name!r} has {len(name)}.")
        _check_times(at_most, at_least)
        self.name, self.at_most, self.at_least, self._clock = name, at_most, at_least, clock

    def acquire(self) -> "Handle | None":
        """Take the lock if nobody holds it; None when somebody does. Never waits.

        Raises OperationalError when the database is away. A connection that breaks on the way is no error:
        the lock is taken or it is not, as the table says.
        """
        handle = Handle(self.name, _holder_name(), self.at_least, LockSession(self._clock))
        try:
            if handle.take(self.at_most):
                return handle
        except BaseException:
            handle.close()
            raise
        handle.close()
        return None


class Handle:
    """A lock that is held until ``until``, by this process's ``elapsed()``. ``token`` is what a write shows.

    The first ``extend`` or ``release`` uses it up.
    """

    def __init__(self, name: str, by: str, at_least: float, session: LockSession) -> None:
        self.name, self.locked_by = name, by
        self.token = 0
        self.until = 0.0
        self._at_least, self._session = at_least, session
        self._used = False

    def take(self, at_most: float) -> bool:
        """Tell whether nobody held the lock, and we do now."""
        start = elapsed()
        try:
            if not self._changes("locks.acquire", at_most=at_most):
                return False
        except Conflict:
            return False
        except Unreachable:
            if not self._session.renew():
                return False
        self.until = start + at_most
        return self._look_for_token()

    def extend(self, at_most: float, at_least: float = 0.0) -> "Handle | None":
        """Hold the lock for ``at_most`` seconds from now. Return a new handle, or None when it is lost.

        Also lost is what the database cannot be asked about: then stop working.
        """
        _check_times(at_most, at_least)
        self._use_up()
        handle = Handle(self.name, self.locked_by, at_least, self._session)
        handle.token = self.token
        for _ in range(EXTEND_ATTEMPTS):
            try:
                if handle.prolong(at_most):
                    return handle
                break
            except Conflict:
                continue
            except Unreachable:
                if not self._session.renew():
                    break
        self._session.close()
        return None

    def prolong(self, at_most: float) -> bool:
        """Extend this very handle; False when the lock is lost. For who keeps one alive (``HeldLock``).

        Raises what a connection that breaks raises, after which ``renew`` is called.
        """
        start = elapsed()
        if not self._changes("locks.extend", at_most=at_most):
            return False
        self.until = start + at_most
        return True

    def release(self) -> bool:
        """Give the lock up, once its ``at_least`` has passed; False when it was not ours any more.

        Never raises for the database's sake: a lock that cannot be given up runs out by itself.
        """
        self._use_up()
        try:
            return self._release()
        finally:
            self._session.close()

    def renew(self) -> bool:
        """Open a new connection for this lock; False when there is none to be had."""
        return self._session.renew()

    def close(self) -> None:
        """Forget the lock. Its row stays as it is."""
        self._session.close()

    def _release(self) -> bool:
        for attempt in range(RELEASE_ATTEMPTS):
            try:
                return self._changes("locks.release", at_least=self._at_least)
            except Conflict:
                continue
            except Unreachable:
                time.sleep(0.05 * attempt)
                self._session.renew()
        log.error("the lock %s could not be released: it runs out by itself", self.name)
        return False

    def _look_for_token(self) -> bool:
        """Tell whether the table says that the lock is ours: the answer may have been lost, or late."""
        for _ in range(EXTEND_ATTEMPTS):
            try:
                row = self._session.row("locks.token", {"name": self.name, "by": self.locked_by})
            except Unreachable:
                if not self._session.renew():
                    return False
            else:
                self.token = row[0] if row else 0
                return row is not None
        return False

    def _changes(self, query: str, **values: float) -> bool:
        return self._session.changes(query, {"name": self.name, "by": self.locked_by, **values})

    def _use_up(self) -> None:
        if self._used:
            raise LockMisused(f"This handle on the lock {self.name} was already extended or released.")
        self._used = True


def elapsed() -> float:
    """Return seconds of a clock that nobody can set, and that goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _holder_name() -> str:
    """Return a name that never comes twice: a stale holder cannot touch its successor's lock."""
    unique = f":{os.getpid()}:{uuid.uuid4()}"
    return socket.gethostname()[: HOLDER_LIMIT - len(unique)] + unique


def _check_times(at_most: float, at_least: float) -> None:
    if not 0 <= at_least <= at_most:
        raise ValueError(f"A lock cannot be held at least {at_least} s and at most {at_most} s.")
