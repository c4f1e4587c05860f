"""Send the flights of one day once more, slowly, the way any producer sends: plain SQL."""

import json
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import psycopg

from dlqconsole.system.processes import Stop

from .events import flight_event
from .files import replacing
from .places import console_directory
from .source import rows

# the last day whose weather was observed: a day on which all flights fail says nothing about the others
DAY = ("2013", "12", "30")
SOURCE = "flights-live"
SEND = "INSERT INTO message_queue (queue, payload) VALUES ('flight.departed', %s::jsonb)"
LONGEST_PAUSE = 30.0


class NoDatabaseError(Exception):
    """The database's address is nowhere."""


def one_day() -> list[dict[str, Any]]:
    """Return the events of 2013-12-30, in natural order."""
    return [flight_event(row, SOURCE) for row in rows("flights", beginning=f"{','.join(DAY)},")]


def trickle(directory: Path, every: float) -> None:
    """Send one flight every `every` seconds, from where the last run stopped, until SIGTERM or the end.

    A lost connection is tried again, with growing pauses up to half a minute. Raises
    NoDatabaseError when DATABASE_URL is neither set nor written in the console's data directory.
    """
    stop = Stop()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, stop.ask)
    database_url()
    position, events = Position(directory / "trickle.position"), one_day()
    pause = 1.0
    while not stop.asked and position.read() < len(events):
        try:
            _send(events, position, every, stop)
        except psycopg.OperationalError as error:
            print(f"The database is away ({_first_line(error)}); again in {pause:.0f} s.", file=sys.stderr)
            stop.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
    if not stop.asked:
        print(f"All {len(events)} flights of the day are sent. To begin again, delete {position.path}")


def _send(events: list[dict[str, Any]], position: "Position", every: float, stop: Stop) -> None:
    with psycopg.connect(
        database_url(), autocommit=True, connect_timeout=10, application_name="flights trickle"
    ) as connection:
        for number in range(position.read(), len(events)):
            connection.execute(SEND, (json.dumps(events[number]),))
            # After the commit: a crash in between sends one flight twice, under the same id.
            position.write(number + 1)
            if stop.wait(every):
                return


class Position:
    """The number of flights that have been sent, in a small file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> int:
        """Return the number sent so far; a missing or damaged file counts as none."""
        try:
            return max(int(self.path.read_text()), 0)
        except (OSError, ValueError):
            return 0

    def write(self, number: int) -> None:
        """Remember the number sent."""
        with replacing(self.path) as file:
            file.write(f"{number}\n".encode())


def database_url() -> str:
    """Return $DATABASE_URL, or what the running console wrote into its data directory."""
    if url := os.environ.get("DATABASE_URL"):
        return url
    path = console_directory() / "env"
    if path.exists():
        for word in shlex.split(path.read_text(encoding="utf-8"), comments=True):
            name, _, value = word.partition("=")
            if name == "DATABASE_URL" and value:
                return value
    raise NoDatabaseError(f"DATABASE_URL is not set, and {path} does not say it: is `make demo` running?")


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
