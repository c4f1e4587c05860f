"""One process's view of how fast each event type may be tried again; the fleet shares what it knows."""

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from .judging import (
    INTERVAL_SECONDS,
    LONGEST_WINDOW_SECONDS,
    Bounds,
    Evidence,
    Known,
    enough,
    judge,
)

FLUSH_SECONDS = 1.0
LOOK_SECONDS = 1.0
# no handler is quicker: the logarithm of 0 is nothing to add up
_QUICKEST = 1e-5


class Board(Protocol):
    """Where the paces stand: the database, by whatever connection its caller has."""

    def slowed(self) -> Mapping[str, float]:
        """The event types that are held back, and how many of each may begin a second."""

    def take(self, values: Mapping[str, Any]) -> int | None:
        """How many of the wanted may begin now; None: nothing is held back any more."""

    def give_back(self, values: Mapping[str, Any]) -> None:
        """Return what was taken and did not begin."""

    def add(self, values: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Add what was noted; how the windows stand then."""

    def decide(self, values: Mapping[str, Any]) -> None:
        """Write what a window has been judged to mean, unless another process was faster."""


class Pace:
    """Asks how many may begin, and notes what came of them. One thread's.

    Costs nothing while nothing is slowed: one look a second for all types, and one statement a second for
    what was noted. ``allowed`` takes tokens at once: call it outside the transaction that uses them, for
    others wait for the row. ``came_back``: it failed again. Every method may raise the errors of the
    database; what was not told is told later.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._slowed: Mapping[str, float] = {}
        self._look_at = 0.0
        self._noted: dict[str, list[float]] = {}
        self._flush_at = time.monotonic() + FLUSH_SECONDS

    def bounds(self) -> Bounds | None:
        """Between which rates an event type is slowed; None: none ever is."""
        raise NotImplementedError

    def slowed(self) -> Mapping[str, float]:
        """The event types that are held back, and how many of each may begin a second."""
        if self.bounds() is None:
            return {}
        if (now := time.monotonic()) >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            self._slowed = self._board.slowed()
        return self._slowed

    def allowed(self, event_type: str, wanted: int) -> int:
        """How many of the wanted may begin now; all of them while the type is not slowed."""
        if wanted <= 0 or event_type not in self.slowed():
            return max(wanted, 0)
        taken = self._board.take({"event_type": event_type, "wanted": wanted})
        return wanted if taken is None else taken

    def give_back(self, event_type: str, unused: int) -> None:
        """Return what was allowed and did not begin."""
        if unused > 0 and event_type in self._slowed:
            self._board.give_back({"event_type": event_type, "unused": unused})

    def note(self, event_type: str, seconds: float, came_back: bool) -> None:
        """One that was tried again: how long its handler ran, and whether it failed again.

        How long a failure took says nothing: what is refused at once is no quicker answer.
        """
        if self.bounds() is None:
            return
        sums = self._noted.setdefault(event_type, [0, 0, 0, 0.0])
        sums[0] += 1
        sums[1] += came_back
        if not came_back:
            sums[2] += 1
            sums[3] += math.log(max(seconds, _QUICKEST))

    def flush(self, *, now: bool = False) -> None:
        """Add what was noted to what the fleet knows, about once a second, and judge what is complete."""
        if not self._noted or not (now or time.monotonic() >= self._flush_at):
            return
        self._flush_at = time.monotonic() + FLUSH_SECONDS
        if (bounds := self.bounds()) is not None:
            for row in self._add(bounds):
                self._judge(row, bounds)

    def _add(self, bounds: Bounds) -> Sequence[Mapping[str, Any]]:
        known = sorted(self._noted.items())
        columns = ("tried", "came_back", "timed", "log_seconds")
        values: dict[str, Any] = {
            column: [sums[place] for _name, sums in known] for place, column in enumerate(columns)
        }
        values |= {"event_types": [name for name, _sums in known], "longest": LONGEST_WINDOW_SECONDS}
        rows = self._board.add(values | {"over": FLUSH_SECONDS} | _between(bounds))
        self._noted.clear()
        return rows

    def _judge(self, row: Mapping[str, Any], bounds: Bounds) -> None:
        """Judge a window that is complete; nothing where it is not, or another process was faster."""
        is_complete = row["seconds"] >= INTERVAL_SECONDS and row["tried"] >= enough(row["rate"])
        if not is_complete and row["seconds"] < LONGEST_WINDOW_SECONDS:
            return
        known = Known(*(row[name] for name in ("rate", "baseline_seconds", "recent_seconds", "share", "why")))
        seen = Evidence(*(row[name] for name in ("tried", "came_back", "timed", "log_seconds", "seconds")))
        found = judge(known, seen, bounds)
        self._board.decide({**row, **_as_values(found), **_between(bounds)})


def _as_values(known: Known) -> dict[str, Any]:
    names = ("rate", "baseline_seconds", "recent_seconds", "share", "why")
    return {name: getattr(known, name) for name in names}


def _between(bounds: Bounds) -> dict[str, float]:
    return {"floor": bounds.floor, "ceiling": bounds.ceiling}


def room_ahead(ahead: Sequence[str], allowed: Mapping[str, int]) -> int:
    """How many of what is ahead stand before the first whose type has none left; empty: waits for nobody."""
    left = dict(allowed)
    for place, name in enumerate(ahead):
        if name and left[name] == 0:
            return place
        if name:
            left[name] -= 1
    return len(ahead)
