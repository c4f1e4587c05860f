"""One process's view of how fast each event type may be tried again; the fleet shares what it knows."""

import math
import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import Error, connection

from dlqconsole.engine.database.transient_errors import connection_lost
from dlqconsole.engine.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.engine.pacing.judging import (
    INTERVAL_SECONDS,
    LONGEST_WINDOW_SECONDS,
    Bounds,
    Evidence,
    Known,
    enough,
    judge,
)
from dlqconsole.engine.sql import sql

FLUSH_SECONDS = 1.0
LOOK_SECONDS = 1.0
# no handler is quicker: the logarithm of 0 is nothing to add up
_QUICKEST = 1e-5


def bounds() -> Bounds:
    """Between which rates an event type is slowed, from the settings."""
    return Bounds(
        settings.DLQ_PACE_FLOOR / 60, settings.DLQ_PACE_CEILING / 60, settings.DLQ_PACE_COME_BACK / 100
    )


class Pace:
    """Asks how many may begin, and notes what came of them. One thread's.

    Costs nothing while nothing is slowed: one look a second for all types, and one statement a second for
    what was noted. ``allowed`` takes tokens at once: call it outside the transaction that uses them, for
    others wait for the row. ``came_back``: it failed again.
    """

    def __init__(self) -> None:
        self._slowed: dict[str, float] = {}
        self._look_at = 0.0
        self._noted: dict[str, list[float]] = {}
        self._flush_at = time.monotonic() + FLUSH_SECONDS

    def slowed(self) -> Mapping[str, float]:
        """The event types that are held back, and how many of each may begin a second."""
        if not settings.DLQ_PACE_ENABLED:
            return {}
        if (now := time.monotonic()) >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            self._slowed = {row["event_type"]: row["rate"] for row in fetch_dicts(sql("pacing.slowed"), {})}
        return self._slowed

    def allowed(self, event_type: str, wanted: int) -> int:
        """How many of the wanted may begin now; all of them while the type is not slowed."""
        if wanted <= 0 or event_type not in self.slowed():
            return max(wanted, 0)
        taken = fetch_column(sql("pacing.take"), {"event_type": event_type, "wanted": wanted})
        return int(taken[0]) if taken else wanted

    def give_back(self, event_type: str, unused: int) -> None:
        """Return what was allowed and did not begin."""
        if unused > 0 and event_type in self._slowed:
            execute(sql("pacing.give_back"), {"event_type": event_type, "unused": unused})

    def note(self, event_type: str, seconds: float, came_back: bool) -> None:
        """One that was tried again: how long its handler ran, and whether it failed again.

        How long a failure took says nothing: what is refused at once is no quicker answer.
        """
        if not settings.DLQ_PACE_ENABLED:
            return
        sums = self._noted.setdefault(event_type, [0, 0, 0, 0.0])
        sums[0] += 1
        sums[1] += came_back
        if not came_back:
            sums[2] += 1
            sums[3] += math.log(max(seconds, _QUICKEST))

    def flush(self, *, now: bool = False) -> None:
        """Add what was noted to what the fleet knows, about once a second, and judge what is complete.

        While the database is away it is kept, for the next time.
        """
        if not self._noted or not (now or time.monotonic() >= self._flush_at):
            return
        self._flush_at = time.monotonic() + FLUSH_SECONDS
        try:
            rows = self._add()
            for row in rows:
                _judge(row)
        except Error as error:
            if not connection_lost(error):
                raise
            connection.close()

    def _add(self) -> list[dict[str, Any]]:
        known = sorted(self._noted.items())
        columns = ("tried", "came_back", "timed", "log_seconds")
        values: dict[str, Any] = {
            column: [sums[place] for _name, sums in known] for place, column in enumerate(columns)
        }
        values |= {"event_types": [name for name, _sums in known], "longest": LONGEST_WINDOW_SECONDS}
        values |= {"over": FLUSH_SECONDS} | _bounds_values()
        rows = fetch_dicts(sql("pacing.add").replace("{silent}", sql("pacing.silent")), values)
        self._noted.clear()
        return rows


def _judge(row: Mapping[str, Any]) -> None:
    """Judge a window that is complete; nothing where it is not, or another process was faster."""
    is_complete = row["seconds"] >= INTERVAL_SECONDS and row["tried"] >= enough(row["rate"])
    if not is_complete and row["seconds"] < LONGEST_WINDOW_SECONDS:
        return
    known = Known(*(row[name] for name in ("rate", "baseline_seconds", "recent_seconds", "share", "why")))
    seen = Evidence(*(row[name] for name in ("tried", "came_back", "timed", "log_seconds", "seconds")))
    found = judge(known, seen, bounds())
    fetch_column(sql("pacing.decide"), {**row, **_as_values(found), **_bounds_values()})


def _as_values(known: Known) -> dict[str, Any]:
    names = ("rate", "baseline_seconds", "recent_seconds", "share", "why")
    return {name: getattr(known, name) for name in names}


def _bounds_values() -> dict[str, float]:
    now = bounds()
    return {"floor": now.floor, "ceiling": now.ceiling}
