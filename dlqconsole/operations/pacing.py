"""How fast an operation may go on, as what comes back of it says: by failure group, and by nothing else.

It is judged by its own come-backs. No other operation, nor the schedule, makes it slower, and it makes nobody
slower. What a group has to wait for, the items of the others do not.
"""

import time
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from dlqconsole.engine.breakers import Gate
from dlqconsole.engine.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.engine.pacing import GroupPace, Pace, PaceKey, paces
from dlqconsole.operations import kinds
from dlqconsole.operations.common_options import FULL_SPEED
from dlqconsole.operations.models import Operation, Status
from dlqconsole.operations.sql import sql
from dlqconsole.operations.work import Held, Rooms
from dlqconsole.statements import sql as shared

# an operation of so few is never slowed
FREE = 50
# of each failure group so many go out before anything is known; each that stays away lets two more go
FIRST = 50
# and so many at most may be without an outcome, once some are known
MOST_UNDER_WAY = 2_000
# where nobody tells anything, twice as many may wait on their queues after each of these
SILENT_SECONDS = 3.0
# where so many of the newest fail on their queue already, their outcomes are not waited for
ENOUGH_FAIL = 25
# how often a page may ask; a worker waits so long itself, else another operation may have it meanwhile
LOOK_SECONDS, NAP_SECONDS, REST_SECONDS = 0.2, 0.5, 1.0
# how often it is asked whether somebody wants it at full speed
ASK_SECONDS = 1.0
# after so long without news it is looked at less often
QUIET_SECONDS = 2.0


class OperationPace:
    """Of an operation that this worker goes on with.

    ``hears``: its messages are handled by consumers, of whatever language; what became of them is read from
    the dead letters. Else who runs its handlers notes what came of each.
    """

    def __init__(self, operation_id: int, *, hears: bool, keeps_order: bool = False) -> None:
        self._id, self._hears = operation_id, hears
        self._pace, self._gate = Pace(operation_id), Gate()
        self._in_order = keeps_order and bool(fetch_column(sql("pacing.has_keys"), {"id": operation_id})[0])
        # what was taken of the slowed groups' tokens, and is not used yet
        self._tokens: dict[int, int] = {}
        self._rooms: dict[int, int] = {}
        # when some of what fails on its queue was noted, not to note it twice: by group what was handed out
        self._failing: dict[int, int] = {}
        self._silent = 0.0
        self._types: tuple[str, ...] | None = None
        self._is_told = self._is_free = False
        self._ask_at = 0.0

    @classmethod
    def of_work(cls, held: Held) -> "OperationPace | None":
        """Of its pages; None where nothing slows it. What is held back for the undo waits for its release."""
        kind = kinds.get(held.kind)
        selected = fetch_dicts(sql("pacing.asked"), {"id": held.id})[0]["selected"]
        if not follows(held.kind, selected, held.options) or kind.paces_itself or is_held_back(held.options):
            return None
        keeps_order = kind.feeds_queues and not held.options.get("no_order")
        return cls(held.id, hears=kind.feeds_queues, keeps_order=keeps_order)

    def rooms(self) -> Rooms | None:
        """What of each failure group may begin now; None: all, for somebody wants it at full speed."""
        if time.monotonic() >= self._ask_at:
            self._ask_at = time.monotonic() + ASK_SECONDS
            self._is_free = fetch_dicts(sql("pacing.asked"), {"id": self._id})[0]["full_speed"]
        if self._is_free:
            return None
        self._pace.look_again()
        if self._hears:
            self._rooms = self._heard()
        slowed = self._pace.slowed()
        self._tokens = {group: left for group, left in self._tokens.items() if PaceKey("", group) in slowed}
        empty = {key: _most(rate) for key, rate in slowed.items() if self._tokens.get(key.group_id, 0) <= 0}
        for key, number in self._pace.allowed(empty).items():
            self._tokens[key.group_id] = number
        if slowed:
            self._tell()
        return Rooms(self._rooms | self._tokens, FIRST, in_order=self._in_order)

    def took(self, taken: Mapping[int, int]) -> None:
        """So many of each failure group have begun."""
        for group, number in taken.items():
            for rooms in (self._tokens, self._rooms):
                if group in rooms:
                    rooms[group] -= number

    def seconds_to_wait(self) -> float | None:
        """Until more may begin, where what remains waits for that; None: it waits for something else."""
        waits = []
        if any(room <= 0 for room in self._rooms.values()):
            waits.append(LOOK_SECONDS if self._silent < QUIET_SECONDS else REST_SECONDS)
        if rates := self._pace.slowed().values():
            waits.append(max(1 / max(rates), LOOK_SECONDS))
        return min(waits) if waits else None

    def close(self) -> None:
        """Give back what was taken and not used."""
        self._pace.give_back({PaceKey("", group): left for group, left in self._tokens.items() if left > 0})
        self._tokens = {}

    def _heard(self) -> dict[int, int]:
        """Note what became of what is on queues; what may follow, by failure group."""
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
        tried, back = row["decided"] - row["heard"], row["back"] - row["heard_back"]
        if is_stopped:  # what an outage does is the breaker's
            return
        failing = row["failing"] if back == tried and row["failing"] >= ENOUGH_FAIL else 0
        if self._failing.get(row["group_id"]) == row["handed_out"]:
            failing = 0
        elif failing:
            self._failing[row["group_id"]] = row["handed_out"]
        if tried + failing:
            self._pace.note_many(PaceKey("", row["group_id"]), tried + failing, back + failing, at_once=True)

    def _is_stopped(self) -> bool:
        """Whether a breaker keeps consumers from some of it."""
        if self._gate.is_quiet():
            return False
        if self._types is None:
            self._types = tuple(fetch_column(sql("pacing.types"), {"id": self._id}))
        return any(self._gate.blocked(event_type) for event_type in self._types)

    def _tell(self) -> None:
        """Note in the audit log, once an operation, that it was slowed."""
        if not self._is_told:
            self._is_told = True
            fetch_column(shared("paces.tell"), {"operation": self._id})


def _most(rate: float) -> int:
    """As much as a second brings."""
    return max(int(rate), 1)


def _room(row: Mapping[str, Any]) -> int:
    """How many more of a group may be put on queues: more with each that stays away, else with time alone."""
    stayed, under_way = row["decided"] - row["back"], row["handed_out"] - row["decided"]
    by_outcomes = min(FIRST + 2 * stayed - row["handed_out"], MOST_UNDER_WAY - under_way)
    if row["failing"] or under_way <= 0:
        return int(max(by_outcomes, under_way <= 0))
    doubled = min(row["silent"] // SILENT_SECONDS, 20)
    return int(max(by_outcomes, FIRST * 2**doubled - under_way if doubled else 0, 0))


def slowed_now(operation: Operation) -> list[GroupPace]:
    """What of an operation is slowed, at its work or at its release, the slowest first."""
    goes_on = operation.status == Status.RUNNING and not is_held_back(operation.parameters)
    if not goes_on and not is_releasing(operation):
        return []
    items = operation.selected if goes_on else operation.done
    if not follows(operation.kind, items, operation.parameters):
        return []
    return paces(operation=operation.pk, slowed=True)


def go_at_full_speed(operation_id: int, actor: str) -> bool:
    """Let nothing slow it from now on; False where it was so, or it is over."""
    values = {"id": operation_id, "actor": actor, "kinds": kinds.paced()}
    return bool(fetch_column(sql("pacing.full_speed"), values))


def forget_old() -> None:
    """Let go of the paces of operations of which nothing was heard for a day."""
    execute(sql("pacing.forget"), {})


def follows(kind: str, items: int, options: Mapping[str, Any]) -> bool:
    """Whether an operation of such a kind over so many is slowed by what comes back."""
    return kinds.shown(kind).follows_pace and items > FREE and not options.get(FULL_SPEED.name)


def is_held_back(options: Mapping[str, Any]) -> bool:
    """Whether its messages wait for the end of an undo window."""
    return bool(options.get("undo_seconds"))


def is_releasing(operation: Operation) -> bool:
    """Whether its undo window is over, and not all is brought forward yet."""
    until = operation.undo_until
    return until is not None and until <= timezone.now() and operation.released_at is None
