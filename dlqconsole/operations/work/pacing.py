"""The pace of an operation, by the items that fail again, for each failure group apart.

Only its own failures count. Neither another operation nor the schedule makes it slower, and it slows no
other. While one group waits, the items of the others go on.
"""

import time
from collections.abc import Mapping
from typing import Any

from dlqconsole.core.flow.breakers import Gate
from dlqconsole.core.flow.pace import Pace, PaceKey
from dlqconsole.core.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.operations import kinds
from dlqconsole.operations.pages.work import OperationLease, Rooms
from dlqconsole.operations.requests.pace import follows, is_held_back
from dlqconsole.operations.sql import sql

# so many of each failure group go out before any outcome is known; each that succeeds lets two more go
FIRST = 50
# the most that may be without an outcome, once some are known
MOST_UNDER_WAY = 2_000
# without any news, twice as many may wait on their queues after each of these periods
SILENT_SECONDS = 3.0
# where so many of the newest fail on their queue already, they count before their outcome is known
ENOUGH_FAIL = 25
# the interval of looks; a wait up to the nap is made here, a longer one frees the worker
LOOK_SECONDS, NAP_SECONDS, REST_SECONDS = 0.2, 0.5, 1.0
# the interval of looks for a person's wish for full speed
ASK_SECONDS = 1.0
# after so long without news the looks become rarer
QUIET_SECONDS = 2.0


class OperationPace:
    """The pace of an operation that this worker leases.

    ``hears``: consumers, of any language, handle its messages; their outcomes are read from the dead letters.
    Else the worker that runs its handlers notes each outcome.
    """

    def __init__(self, operation_id: int, *, hears: bool, keeps_order: bool = False) -> None:
        self._id, self._hears = operation_id, hears
        self._pace, self._gate = Pace(operation_id), Gate()
        self._in_order = keeps_order and bool(fetch_column(sql("pacing.has_keys"), {"id": operation_id})[0])
        # unused tokens of the slowed groups
        self._tokens: dict[int, int] = {}
        self._rooms: dict[int, int] = {}
        # by group: the number handed out when failures on its queue were noted, not to note them twice
        self._failing: dict[int, int] = {}
        self._silent = 0.0
        self._types: tuple[str, ...] | None = None
        self._is_free = False
        self._ask_at = 0.0

    @classmethod
    def of_work(cls, lease: OperationLease) -> "OperationPace | None":
        """The pace of its pages; None: nothing slows it. With an undo window its release is paced instead."""
        kind = kinds.get(lease.kind)
        item_count = fetch_dicts(sql("pacing.asked"), {"id": lease.id})[0]["selected"]
        if kind.paces_itself or is_held_back(lease.options):
            return None
        if not follows(lease.kind, item_count, lease.options):
            return None
        keeps_order = kind.feeds_queues and not lease.options.get("no_order")
        return cls(lease.id, hears=kind.feeds_queues, keeps_order=keeps_order)

    def rooms(self) -> Rooms | None:
        """The number of each failure group that may begin now; None: all, nothing slows it."""
        if time.monotonic() >= self._ask_at:
            self._ask_at = time.monotonic() + ASK_SECONDS
            self._is_free = fetch_dicts(sql("pacing.asked"), {"id": self._id})[0]["full_speed"]
        if self._is_free:
            return None
        self._pace.look_again()
        if self._hears:
            self._rooms = self._note_outcomes()
        rates = self._pace.slowed()
        self._tokens = {
            group: number for group, number in self._tokens.items() if PaceKey("", group) in rates
        }
        empty = {key: _most(rate) for key, rate in rates.items() if self._tokens.get(key.group_id, 0) <= 0}
        for key, tokens in self._pace.allowed(empty).items():
            self._tokens[key.group_id] = tokens
        if rates:
            self._pace.tell()
        return Rooms(self._rooms | self._tokens, FIRST, in_order=self._in_order)

    def took(self, numbers: Mapping[int, int]) -> None:
        """Note how many of each failure group have begun."""
        for group, number in numbers.items():
            for rooms in (self._tokens, self._rooms):
                if group in rooms:
                    rooms[group] -= number

    def seconds_to_wait(self) -> float | None:
        """The seconds until more may begin; None: the remaining items wait for something else."""
        waits = []
        if any(room <= 0 for room in self._rooms.values()):
            waits.append(LOOK_SECONDS if self._silent < QUIET_SECONDS else REST_SECONDS)
        if rates := self._pace.slowed().values():
            waits.append(max(1 / max(rates), LOOK_SECONDS))
        return min(waits) if waits else None

    def close(self) -> None:
        """Give unused tokens back."""
        self._pace.give_back(
            {PaceKey("", group): number for group, number in self._tokens.items() if number > 0}
        )
        self._tokens = {}

    def _note_outcomes(self) -> dict[int, int]:
        """Note the outcomes of messages on queues; return the number that may follow, by failure group."""
        rows = fetch_dicts(sql("pacing.heard"), {"id": self._id})
        news = [row for row in rows if row["decided"] != row["heard"]]
        is_stopped = bool(rows) and self._is_stopped()
        self._silent = min((row["silent"] for row in rows if row["decided"] == row["heard"]), default=0.0)
        for row in rows:
            self._note(row, is_stopped)
        if news:
            columns = {name: [row[name] for row in news] for name in ("decided", "back")}
            execute(
                sql("pacing.hear"), {"id": self._id, "groups": [row["group_id"] for row in news]} | columns
            )
        self._pace.flush(now=True)
        return {row["group_id"]: _room(row) for row in rows if row["rate"] is None}

    def _note(self, row: Mapping[str, Any], is_stopped: bool) -> None:
        attempts, back = row["decided"] - row["heard"], row["back"] - row["heard_back"]
        if is_stopped:  # what an outage does is the breaker's
            return
        failing = row["failing"] if back == attempts and row["failing"] >= ENOUGH_FAIL else 0
        if self._failing.get(row["group_id"]) == row["handed_out"]:
            failing = 0
        elif failing:
            self._failing[row["group_id"]] = row["handed_out"]
        if attempts + failing:
            self._pace.note_many(
                PaceKey("", row["group_id"]), attempts + failing, back + failing, at_once=True
            )

    def _is_stopped(self) -> bool:
        """Tell whether a breaker stops the consumers of some of its types."""
        if self._gate.is_quiet():
            return False
        if self._types is None:
            self._types = tuple(fetch_column(sql("pacing.types"), {"id": self._id}))
        return any(self._gate.blocked(event_type) for event_type in self._types)


def _most(rate: float) -> int:
    """The tokens of one second."""
    return max(int(rate), 1)


def _room(row: Mapping[str, Any]) -> int:
    """The number of a group that may still go on queues; it grows with each that succeeds, and with time."""
    stays, under_way = row["decided"] - row["back"], row["handed_out"] - row["decided"]
    by_outcomes = min(FIRST + 2 * stays - row["handed_out"], MOST_UNDER_WAY - under_way)
    if row["failing"] or under_way <= 0:
        return int(max(by_outcomes, under_way <= 0))
    doublings = min(row["silent"] // SILENT_SECONDS, 20)
    return int(max(by_outcomes, FIRST * 2**doublings - under_way if doublings else 0, 0))
