"""A lock that is held for as long as a block runs, however long that is."""

import logging
import signal
import sys
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from types import FrameType
from typing import Any, Self

from dlqconsole.core.errors import LockHeld
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.database.locks.session import Conflict, Unreachable
from dlqconsole.engine.database.locks.shedlock import Handle, ShedLock, elapsed
from dlqconsole.engine.sql import sql

log = logging.getLogger(__name__)

# so often is a connection tried that broke, while the lock still holds
_PAUSE_SECONDS = 0.5


class HeldLock:
    """``with HeldLock("name", at_most=30) as lock``: a thread of its own extends it, on its own connection.

    Raises LockHeld when somebody else holds it. The work asks ``is_held`` and stops when that is no longer
    so; what it writes shows ``token``. Left in any way, also by SIGTERM, the block gives the lock up at once,
    or once ``at_least`` seconds have passed. A dead or stopped process loses it after ``at_most``.
    """

    def __init__(self, name: str, *, at_most: float, at_least: float = 0.0) -> None:
        self.name = name
        self._lock = ShedLock(name, at_most=at_most, at_least=at_least)
        self._ended = threading.Event()
        self._handle: Handle | None = None
        self._thread: threading.Thread | None = None
        self._before: Any = None

    @property
    def is_held(self) -> bool:
        """Tell whether the lock is ours for certain: by this process's own clock, without asking anybody."""
        return self._handle is not None and elapsed() < self._handle.until

    @property
    def token(self) -> int:
        """The lock's token. It rises with every acquisition, by whomever."""
        return self._handle.token if self._handle else 0

    def __enter__(self) -> Self:
        self._handle = self._lock.acquire()
        if self._handle is None:
            raise lock_held(self.name)
        self._before = _leave_on_sigterm()
        self._thread = threading.Thread(target=self._keep, args=(self._handle,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        handle, self._handle = self._handle, None
        self._ended.set()
        if self._thread:
            self._thread.join()
        if handle:
            handle.release()
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)

    def _keep(self, handle: Handle) -> None:
        # a signal that the system gives to this thread would not wake the one that can leave the block
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        pause = self._lock.at_most / 3
        while not self._ended.wait(pause):
            try:
                is_held = handle.prolong(self._lock.at_most)
                pause = self._lock.at_most / 3
            except (*Conflict, *Unreachable):
                is_held, pause = elapsed() < handle.until, min(_PAUSE_SECONDS, self._lock.at_most / 10)
                handle.renew()
            if not is_held:
                handle.until = 0.0
                log.warning("lost the lock %s", self.name)
                return


def _leave_on_sigterm() -> Any:
    """Let SIGTERM leave the block as an exception would, where nobody else handles it."""
    if threading.current_thread() is not threading.main_thread():
        return None
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return None
    return signal.signal(signal.SIGTERM, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


@dataclass(frozen=True, slots=True)
class Holder:
    """A lock's holder, as the tables have it. Times are UTC.

    ``locked_at`` and ``until`` are as its holder wrote them; ``taken_at`` and ``held`` are by the database's
    clock. ``clock_drift`` is how many seconds the holder's clock was ahead of that when it took the lock: 0
    where it asks the database.
    """

    name: str
    locked_by: str
    locked_at: datetime
    until: datetime
    held: bool
    token: int
    taken_at: datetime
    clock_drift: float


def holder(name: str) -> Holder | None:
    """Return the holder of the lock, now or last; None when nobody ever held it."""
    rows = fetch_dicts(sql("locks.holder"), {"name": name})
    if not rows:
        return None
    row = rows[0]
    # the table's times have no zone and mean UTC
    since, until = row.pop("locked_at").replace(tzinfo=UTC), row.pop("lock_until").replace(tzinfo=UTC)
    return Holder(name, locked_at=since, until=until, **row)


def lock_held(name: str) -> LockHeld:
    """Return the error that names the holder, and until when."""
    owner = holder(name)
    if owner is None:
        return LockHeld(name, "somebody", "it is released")
    return LockHeld(name, owner.locked_by, f"{owner.until:%Y-%m-%d %H:%M:%S}")
