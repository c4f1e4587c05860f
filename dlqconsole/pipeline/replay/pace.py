"""How fast a worker of a replay may go on, as what comes back says: no faster than its event types' pace."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.rows import dict_row

from dlqconsole.processing import pacing
from dlqconsole.processing.pacing import Bounds, room_ahead
from dlqconsole.statements import sql as shared

from .queries import query

REST_SECONDS = 2.0


class _Board:
    """The paces in the database, by the worker's own connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def slowed(self) -> Mapping[str, float]:
        """The event types that are held back, and how many of each may begin a second."""
        return {row["event_type"]: row["rate"] for row in self._rows(shared("paces.slowed"), {})}

    def take(self, values: Mapping[str, Any]) -> int | None:
        """How many of the wanted may begin now; None: nothing is held back any more."""
        row = self._connection.execute(shared("paces.take").encode(), values).fetchone()
        return int(row[0]) if row else None

    def give_back(self, values: Mapping[str, Any]) -> None:
        """Return what was taken and did not begin."""
        self._connection.execute(shared("paces.give_back").encode(), values)

    def add(self, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Add what was noted; how the windows stand then."""
        return self._rows(shared("paces.add").replace("{silent}", shared("paces.silent")), values)

    def decide(self, values: Mapping[str, Any]) -> None:
        """Write what a window has been judged to mean, unless another process was faster."""
        self._connection.execute(shared("paces.decide").encode(), values)

    def _rows(self, query: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        with self._connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query.encode(), values).fetchall()


class Pace(pacing.Pace):
    """One worker's view of the paces. ``bounds`` of None: nothing holds its operation back."""

    def __init__(self, connection: psycopg.Connection[Any], operation: int, bounds: Bounds | None) -> None:
        super().__init__(_Board(connection))
        self._connection, self._operation, self._bounds = connection, operation, bounds
        self._is_told = False
        # the rate of the type that had no room
        self._waits_for = 1.0

    def bounds(self) -> Bounds | None:
        return self._bounds

    def room(self, after: int, last: int, limit: int) -> int:
        """How many of the next so many items may begin now; 0: what comes first has to wait."""
        slowed = self.slowed()
        ahead = self._ahead(after, last, limit, slowed) if slowed else []
        if not any(ahead):
            return limit
        allowed = {name: self.allowed(name, number) for name, number in Counter(ahead).items() if name}
        room = room_ahead(ahead, allowed)
        self._waits_for = slowed[ahead[room]] if room < len(ahead) else 1.0
        for name, number in allowed.items():
            self.give_back(name, number - ahead[:room].count(name))
        self._tell(slowed)
        return room

    def seconds_to_wait(self) -> float:
        """Until another of the type may begin for which there was no room; a cancel is heard in between."""
        return min(1 / self._waits_for, REST_SECONDS)

    def _ahead(self, after: int, last: int, limit: int, slowed: Mapping[str, float]) -> list[str]:
        """The event types of the next items, in order; empty for what nothing holds back."""
        values = {"operation": self._operation, "after": after, "last": last, "limit": limit}
        rows = self._connection.execute(query("ahead"), values | {"slowed": sorted(slowed)})
        return [name for (name,) in rows]

    def _tell(self, slowed: Mapping[str, float]) -> None:
        """Note in the audit log, once an operation, that it was slowed."""
        if not self._is_told:
            self._is_told = True
            values = {"id": self._operation, "slowed": sorted(slowed)}
            self._connection.execute(shared("paces.tell").encode(), values)
