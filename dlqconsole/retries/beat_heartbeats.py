"""The heartbeats of beats: each beat reports that it runs, and each tick that it came.

Two beats do no harm, because a tick only queries the database for due work. But two are a mistake: a warning
says so.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from django.db import Error

from dlqconsole.core.handling import registry
from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.core.owners import owner_name
from dlqconsole.engine.database import presence
from dlqconsole.engine.database.memoized import memoized
from dlqconsole.hosting.database import connection
from dlqconsole.processing.errors import SetupError
from dlqconsole.retries.sql import sql

log = logging.getLogger(__name__)

SAY_EVERY_SECONDS = presence.SAY_EVERY_SECONDS
SILENT_SECONDS = 16.0
TOGETHER_SECONDS = 6.0
FORGET_SECONDS = 86_400.0
TICK = "tick"


@dataclass(frozen=True, slots=True)
class Beat:
    """A beat with a heartbeat a few seconds ago. ``is_together``: it is not the only one."""

    name: str
    started_at: datetime
    seen_at: datetime
    is_together: bool


class BeatPresence(presence.PresenceThread):
    """Reports every few seconds that this beat runs."""

    def __init__(self) -> None:
        values = {"name": owner_name(), "forget": FORGET_SECONDS}
        say, withdraw = sql("tickers.say"), sql("tickers.withdraw")
        super().__init__("beat", say, withdraw, values, SAY_EVERY_SECONDS)


def note_tick() -> None:
    """Note that a worker has had a tick of the schedule, with its settings and its handlers' limits."""
    try:
        retry_limits.note_settings()
        with suppress(SetupError):  # its start says so
            retry_limits.note_handler_limits(registry())
        execute(sql("tickers.say"), {"name": TICK, "forget": FORGET_SECONDS})
    except Error as error:
        log.warning("nobody is told about this tick, the database is away: %s", error)
        connection.close()


@memoized
def alive() -> list[Beat]:
    """The beats that run now, the oldest first."""
    values = {"tick": TICK, "silent": SILENT_SECONDS, "together": TOGETHER_SECONDS}
    return [Beat(**row) for row in fetch_dicts(sql("tickers.alive"), values)]


def too_many() -> str:
    """The warning if more than one beat runs; else empty."""
    number = sum(beat.is_together for beat in alive())
    return (
        f"{number} schedulers alive: each tick comes so often. It does no harm; stop all but one."
        if number
        else ""
    )


def last_tick() -> tuple[datetime, float] | None:
    """The moment of the last tick of the schedule, and the seconds since then; None: no tick yet."""
    for row in fetch_dicts(sql("tickers.last_tick"), {"tick": TICK}):
        return row["seen_at"], row["seconds_ago"]
    return None
