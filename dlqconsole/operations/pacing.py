"""How fast an operation may go on, as what comes back says: the slower of what was asked and its types' pace.

An operation goes in the order of its items, so it waits at the first whose event type may not begin another
now. Others of its types do not wait for the pace of that one, only behind such an item.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from dlqconsole.engine.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.engine.pacing import Pace, TypePace, paces
from dlqconsole.operations import kinds
from dlqconsole.operations.common_options import FULL_SPEED
from dlqconsole.operations.models import Operation, Status
from dlqconsole.operations.sql import sql
from dlqconsole.operations.work import Held
from dlqconsole.processing.pacing import room_ahead
from dlqconsole.statements import sql as shared

# an operation of so few is never slowed
FREE = 50
# so far ahead is looked for items that must wait
AHEAD = 500
# a worker stays with what goes on so soon; else another operation may have it meanwhile
NAP_SECONDS, REST_SECONDS = 2.0, 30.0


class OperationPace:
    """Of an operation that this worker goes on with. ``ahead`` is a query of ``pacing.sql``."""

    def __init__(self, operation_id: int, ahead: str, eligible: list[str], *, is_free: bool) -> None:
        self._id, self._query, self._eligible = operation_id, sql(ahead), eligible
        self._pace, self._is_free = Pace(), is_free
        self._types: frozenset[str] | None = None
        self._is_told = False
        # the rate of the type that had no room
        self._waits_for = 1.0

    @classmethod
    def of_work(cls, held: Held) -> "OperationPace":
        """Of its pages. What is held back for the undo waits for its release instead."""
        kind = kinds.get(held.kind)
        follows_it = follows(held.kind, FREE + 1, held.options) and not kind.paces_itself
        return cls(
            held.id, "pacing.ahead", kind.eligible(), is_free=not follows_it or is_held_back(held.options)
        )

    @classmethod
    def of_release(cls, operation: Mapping[str, Any]) -> "OperationPace":
        """Of the release of what it held back; a row of ``releasing.due``."""
        is_free = not follows(operation["kind"], operation["done"], operation["options"])
        return cls(operation["id"], "pacing.ahead_of_release", [], is_free=is_free)

    def room(self, after: int) -> int | None:
        """How many of the next items may begin now; 0: it has to wait; None: nothing is held back."""
        slowed = self._slowed()
        if not slowed:
            return None
        ahead = self._ahead(after, slowed)
        allowed = {name: self._pace.allowed(name, number) for name, number in Counter(ahead).items() if name}
        room = room_ahead(ahead, allowed)
        self._waits_for = slowed[ahead[room]] if room < len(ahead) else 1.0
        for name, number in allowed.items():
            self._pace.give_back(name, number - ahead[:room].count(name))
        self._tell(slowed)
        return room if ahead else None

    def seconds_to_wait(self) -> float:
        """Until another of the type may begin for which there was no room."""
        return min(1 / self._waits_for, REST_SECONDS)

    def _slowed(self) -> dict[str, float]:
        """Those of its types that are held back, and how many may begin a second."""
        slowed = {} if self._is_free else self._pace.slowed()
        if not slowed:
            return {}
        if self._types is None:
            self._look_at_types()
        return {} if self._is_free else {name: slowed[name] for name in slowed.keys() & (self._types or ())}

    def _look_at_types(self) -> None:
        found = fetch_dicts(sql("pacing.of_operation"), {"id": self._id})
        self._is_free = sum(row["items"] for row in found) <= FREE
        self._types = frozenset(row["event_type"] for row in found)

    def _ahead(self, after: int, slowed: dict[str, float]) -> list[str]:
        """The event types of the next items, in order; empty for what nothing holds back, or is skipped."""
        values = {"id": self._id, "after": after, "ahead": AHEAD}
        more = {"eligible": self._eligible, "slowed": sorted(slowed)}
        return fetch_column(self._query, values | more)

    def _tell(self, slowed: dict[str, float]) -> None:
        """Note in the audit log, once an operation, that it was slowed."""
        if not self._is_told:
            self._is_told = True
            execute(shared("paces.tell"), {"id": self._id, "slowed": sorted(slowed)})


def slowed_now(operation: Operation) -> TypePace | None:
    """The pace that holds an operation back most, at its work or at its release; None where none does."""
    options = operation.parameters
    goes_on = operation.status == Status.RUNNING and not is_held_back(options)
    items = operation.selected if goes_on else operation.done
    if not (goes_on or _is_releasing(operation)) or not follows(operation.kind, items, options):
        return None
    types = fetch_dicts(sql("pacing.of_operation"), {"id": operation.pk})
    return next(iter(paces([row["event_type"] for row in types], slowed=True)), None)


def follows(kind: str, items: int, options: Mapping[str, Any]) -> bool:
    """Whether an operation of such a kind over so many is slowed by what comes back."""
    return kinds.shown(kind).follows_pace and items > FREE and not options.get(FULL_SPEED.name)


def is_held_back(options: Mapping[str, Any]) -> bool:
    """Whether its messages wait for the end of an undo window."""
    return bool(options.get("undo_seconds"))


def _is_releasing(operation: Operation) -> bool:
    """Whether its undo window is over, and not all is brought forward yet."""
    until = operation.undo_until
    return until is not None and until <= timezone.now() and operation.released_at is None
