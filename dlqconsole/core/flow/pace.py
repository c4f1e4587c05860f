"""One process's view of how fast failure groups may be tried again; the fleet shares what it knows."""

import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from dlqconsole.core.host import host
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.settings import settings
from dlqconsole.core.sql import sql
from dlqconsole.core.transient_errors import connection_lost

from .judging import (
    CLEAR,
    DEFAULT_BOUNDS,
    INTERVAL_SECONDS,
    LONGEST_WINDOW_SECONDS,
    Bounds,
    Evidence,
    PaceState,
    enough,
    is_bad,
    judge,
)

FLUSH_SECONDS = 1.0
LOOK_SECONDS = 1.0
# whose pace it is: an operation's by its number, or the schedule's
SCHEDULE = 0
# no handler is quicker: the logarithm of 0 is nothing to add up
_QUICKEST = 1e-5
# the columns of what is known, and of what a window has shown
_STATE = ("rate", "baseline_seconds", "recent_seconds", "share", "why")
_EVIDENCE = ("tried", "came_back", "timed", "log_seconds", "seconds")


class PaceKey(NamedTuple):
    """The events that share one pace: those of a type in one failure group, as they were when taken up."""

    event_type: str
    group_id: int


def usual_bounds() -> Bounds | None:
    """Return the rates between which a failure group is slowed; None: none ever is."""
    return DEFAULT_BOUNDS if settings.DLQ_PACE_ENABLED else None


class Pace:
    """Asks how many may begin, and notes what came of them. One thread's.

    ``operation``: whose paces, an operation's own or the schedule's: neither slows the other, and no two
    operations do. ``bounds``: the rates between which a group is slowed, asked each time. Costs nothing while
    nothing is slowed: one look a second, and one statement a second for what was noted. ``allowed`` takes
    tokens at once: call it outside the transaction that uses them, for others wait for the rows.
    ``came_back``: it failed again. Every method may raise the errors of the database; what was not told is
    told later.
    """

    def __init__(self, operation: int = SCHEDULE, bounds: Callable[[], Bounds | None] = usual_bounds) -> None:
        self._operation, self._bounds = operation, bounds
        self._is_told = False
        self._rates: Mapping[PaceKey, float] = {}
        self._look_at = 0.0
        # tried, came back, timed, log_seconds; then the failures to judge at once, and those that say away
        self._sums: dict[PaceKey, list[float]] = {}
        self._flush_at = time.monotonic() + FLUSH_SECONDS

    def slowed(self) -> Mapping[PaceKey, float]:
        """Return the groups that are slowed, and how many events of each may begin a second."""
        if self._bounds() is None:
            return {}
        if (now := time.monotonic()) >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            self._rates = {_key(row): row["rate"] for row in self._rows("slowed")}
        return self._rates

    def look_again(self) -> None:
        """Ask anew what is slowed, before the second is over."""
        self._look_at = 0.0

    def allowed(self, requests: Mapping[PaceKey, int]) -> dict[PaceKey, int]:
        """Return how many of each may begin now: all the requests of a group that is not slowed."""
        numbers = {key: number for key, number in requests.items() if key in self.slowed() and number > 0}
        tokens = {_key(row): int(row["taken"]) for row in self._rows("take", numbers)} if numbers else {}
        return {key: max(tokens.get(key, number), 0) for key, number in requests.items()}

    def give_back(self, rest: Mapping[PaceKey, int]) -> None:
        """Return what was allowed and did not begin."""
        numbers = {key: number for key, number in rest.items() if number > 0 and key in self._rates}
        if numbers:
            self._rows("give_back", numbers)

    def note(self, key: PaceKey, seconds: float, came_back: bool, *, away: bool = False) -> None:
        """One that was tried again: how long its handler ran, and whether it failed again.

        How long a failure took says nothing: what is refused at once is no quicker answer. ``away``: it says
        that the other side does not answer, which is for the breaker to judge first. Where that stays closed,
        as beside first attempts that succeeded a moment ago, 50 of them are judged as any others.
        """
        log_seconds = 0.0 if came_back else math.log(max(seconds, _QUICKEST))
        self.note_many(key, 1, int(came_back), int(not came_back), log_seconds)
        if came_back and key in self._sums:
            sums = self._sums[key]
            sums[4] += not away
            sums[5] += away
            if sums[4] >= enough(None) or sums[5] >= CLEAR:
                self._flush_at = 0.0

    def note_many(
        self,
        key: PaceKey,
        attempts: int,
        came_back: int,
        latency_count: int = 0,
        log_seconds: float = 0.0,
        *,
        at_once: bool = False,
    ) -> None:
        """Note the outcomes of several that were tried again. ``at_once``: judge as soon as it is clear."""
        if self._bounds() is None:
            return
        sums = self._sums.setdefault(key, [0, 0, 0, 0.0, 0, 0])
        for place, number in enumerate((attempts, came_back, latency_count, log_seconds)):
            sums[place] += number
        sums[4] += at_once

    def forget(self, event_types: Collection[str]) -> None:
        """Judge nothing of what was seen of these lately: an outage did it, and that is the breaker's."""
        for key in [key for key in self._sums if key.event_type in event_types]:
            del self._sums[key]
        if self._bounds() is not None:
            _run("forget", {"operation": self._operation, "event_types": sorted(event_types)})

    def tell(self) -> None:
        """Note in the audit log, once an operation, that it was slowed."""
        if not self._is_told:
            self._is_told = True
            _run("tell", {"operation": self._operation})

    def flush(self, *, now: bool = False) -> None:
        """Add what was noted to what the fleet knows, about once a second, and judge what is complete.

        While the database is away the counts are kept for the next time.
        """
        if not self._sums or not (now or time.monotonic() >= self._flush_at):
            return
        try:
            self._flush()
        except host().error as error:
            if not connection_lost(error):
                raise
            host().close()

    def _flush(self) -> None:
        self._flush_at = time.monotonic() + FLUSH_SECONDS
        if (bounds := self._bounds()) is not None:
            at_once = {key for key, sums in self._sums.items() if sums[4]}
            away = {key for key, sums in self._sums.items() if sums[5]}
            for row in self._add(bounds):
                key = _key(row)
                self._judge(row, bounds, key in at_once or (key in away and row["came_back"] >= CLEAR))

    def _add(self, bounds: Bounds) -> Sequence[Mapping[str, Any]]:
        sums_by_key = sorted(self._sums.items())
        columns = ("tried", "came_back", "timed", "log_seconds")
        values: dict[str, Any] = {
            column: [sums[place] for _key, sums in sums_by_key] for place, column in enumerate(columns)
        }
        values |= _of_keys([key for key, _sums in sums_by_key]) | {"longest": LONGEST_WINDOW_SECONDS}
        values |= {"operation": self._operation, "over": FLUSH_SECONDS} | _between(bounds)
        rows = _run("add", values)
        self._sums.clear()
        return rows

    def _judge(self, row: Mapping[str, Any], bounds: Bounds, at_once: bool) -> None:
        """Judge a window that is complete; nothing where it is not, or another process was faster."""
        state = PaceState(*(row[name] for name in _STATE))
        evidence = Evidence(*(row[name] for name in _EVIDENCE))
        is_complete = evidence.seconds >= INTERVAL_SECONDS and evidence.attempts >= enough(state.rate)
        is_clear = at_once and is_bad(state, evidence, bounds)
        if not (is_complete or is_clear or evidence.seconds >= LONGEST_WINDOW_SECONDS):
            return
        next_state = judge(state, evidence, bounds)
        values = {**row, "operation": self._operation} | _as_values(next_state) | _between(bounds)
        _run("decide", values)
        if next_state.rate != state.rate:
            self._look_at = 0.0

    def _rows(self, name: str, numbers: Mapping[PaceKey, int] | None = None) -> Sequence[Mapping[str, Any]]:
        """Return the rows of a statement about these keys, with a number for each."""
        numbers = dict(sorted((numbers or {}).items()))
        values = _of_keys(list(numbers)) | {"numbers": list(numbers.values()), "operation": self._operation}
        return _run(name, values)


def _key(row: Mapping[str, Any]) -> PaceKey:
    return PaceKey(row["event_type"], row["group_id"])


def _of_keys(keys: Sequence[PaceKey]) -> dict[str, Any]:
    return {"event_types": [key.event_type for key in keys], "groups": [key.group_id for key in keys]}


def _as_values(state: PaceState) -> dict[str, Any]:
    return {name: getattr(state, name) for name in _STATE}


def _between(bounds: Bounds) -> dict[str, float]:
    return {"floor": bounds.floor, "ceiling": bounds.ceiling}


def _run(name: str, values: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the rows of a statement of ``paces.sql``."""
    return fetch_dicts(sql(f"paces.{name}").replace("{silent}", sql("paces.silent")), values)
