"""The holders of locks."""

from dataclasses import dataclass
from datetime import UTC, datetime

from dlqconsole.core.errors import LockHeld
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql


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
