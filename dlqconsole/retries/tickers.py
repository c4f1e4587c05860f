"""Who lets the clock tick: each beat says that it runs, and each tick that it came.

Two beats do no harm, because a tick only asks the database what is due. But nobody wanted two: that is told.
"""

import atexit
import logging
import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from django.db import Error, connection

from dlqconsole.engine.database import own_connection
from dlqconsole.engine.database.asked_once import asked_once
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
    """Says every few seconds that this beat runs. The database may be away.

    On a connection of its own: a beat in a worker is a fork of it, and must use nothing that it shares.
    """

    def __init__(self) -> None:
        super().__init__(name="presence of the beat", daemon=True)
        self._values = {"name": owner_name(), "forget": FORGET_SECONDS}
        self._ended = threading.Event()
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None

    def start(self) -> None:
        """Begin; the end of the process ends it."""
        atexit.register(self.stop)
        super().start()

    def run(self) -> None:
        while not self._ended.is_set():
            self._tell("tickers.say")
            self._ended.wait(SAY_EVERY_SECONDS)
        self._tell("tickers.withdraw")
        if self._connection:
            self._connection.close()

    def stop(self) -> None:
        """Say that it runs no more."""
        self._ended.set()
        self.join(SAY_EVERY_SECONDS)

    def _tell(self, query: str) -> None:
        try:
            if self._connection is None or self._connection.closed:
                self._connection = own_connection.connect(connect_timeout=5)
            self._connection.execute(sql(query), self._values)
        except psycopg.Error as error:
            log.warning("nobody is told about this beat, the database is away: %s", error)


def note_tick() -> None:
    """A worker has had a tick of the schedule."""
    try:
        execute(sql("tickers.say"), {"name": TICK, "forget": FORGET_SECONDS})
    except Error as error:
        log.warning("nobody is told about this tick, the database is away: %s", error)
        connection.close()


@asked_once
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
