"""Who lets the clock tick: each beat says that it runs, and each tick that it came.

Two beats do no harm, because a tick only asks the database what is due. But nobody wanted two: that is told.
"""

import atexit
import logging
import threading
from dataclasses import dataclass
from datetime import datetime

from django.db import Error, connection

from dlqconsole.engine.named_sql import execute, fetch_dicts
from dlqconsole.engine.owners import owner_name
from dlqconsole.retries.sql import sql

log = logging.getLogger(__name__)

SAY_EVERY_SECONDS = 5.0
SILENT_SECONDS = 16.0
TOGETHER_SECONDS = 6.0
FORGET_SECONDS = 86_400.0
TICK = "tick"


@dataclass(frozen=True, slots=True)
class Beat:
    """A beat that was heard of a few seconds ago. ``is_together``: it is not the only one."""

    name: str
    started_at: datetime
    seen_at: datetime
    is_together: bool


class Presence(threading.Thread):
    """Says every few seconds that this beat runs, on a connection of its own. The database may be away."""

    def __init__(self) -> None:
        super().__init__(name="presence of the beat", daemon=True)
        self._name, self._ended = owner_name(), threading.Event()

    def start(self) -> None:
        """Begin; the end of the process ends it."""
        atexit.register(self.stop)
        super().start()

    def run(self) -> None:
        while True:
            _say(self._name)
            if self._ended.wait(SAY_EVERY_SECONDS):
                break
        self._quietly("tickers.withdraw")
        connection.close()

    def stop(self) -> None:
        """Say that it runs no more."""
        self._ended.set()
        self.join(SAY_EVERY_SECONDS)

    def _quietly(self, query: str) -> None:
        try:
            execute(sql(query), {"name": self._name})
        except Error:
            log.info("the database is away: this beat is forgotten by itself")


def note_tick() -> None:
    """A worker has had a tick of the schedule."""
    _say(TICK)


def alive() -> list[Beat]:
    """The beats that run now, the oldest first."""
    values = {"tick": TICK, "silent": SILENT_SECONDS, "together": TOGETHER_SECONDS}
    return [Beat(**row) for row in fetch_dicts(sql("tickers.alive"), values)]


def too_many() -> str:
    """The warning where more than one runs; empty where that is not so."""
    number = sum(beat.is_together for beat in alive())
    return (
        f"{number} schedulers alive: each tick comes so often. It does no harm; stop all but one."
        if number
        else ""
    )


def last_tick() -> tuple[datetime, float] | None:
    """When a worker last had a tick of the schedule, and how many seconds ago; None: never."""
    for row in fetch_dicts(sql("tickers.last_tick"), {"tick": TICK}):
        return row["seen_at"], row["seconds_ago"]
    return None


def _say(name: str) -> None:
    try:
        execute(sql("tickers.say"), {"name": name, "forget": FORGET_SECONDS})
    except Error as error:
        log.warning("nobody is told that %s is alive, the database is away: %s", name, error)
        connection.close()
