"""The pace of the processes that have Django: its board is the database that Django is connected to."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import Error, connection

from dlqconsole.engine.database.transient_errors import connection_lost
from dlqconsole.engine.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.processing import pacing
from dlqconsole.processing.pacing import Bounds
from dlqconsole.statements import sql as shared


class Board:
    """The paces in the database."""

    def slowed(self) -> Mapping[str, float]:
        """The event types that are held back, and how many of each may begin a second."""
        return {row["event_type"]: row["rate"] for row in fetch_dicts(shared("paces.slowed"), {})}

    def take(self, values: Mapping[str, Any]) -> int | None:
        """How many of the wanted may begin now; None: nothing is held back any more."""
        taken = fetch_column(shared("paces.take"), values)
        return int(taken[0]) if taken else None

    def give_back(self, values: Mapping[str, Any]) -> None:
        """Return what was taken and did not begin."""
        execute(shared("paces.give_back"), values)

    def add(self, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Add what was noted; how the windows stand then."""
        return fetch_dicts(shared("paces.add").replace("{silent}", shared("paces.silent")), values)

    def decide(self, values: Mapping[str, Any]) -> None:
        """Write what a window has been judged to mean, unless another process was faster."""
        fetch_column(shared("paces.decide"), values)


class Pace(pacing.Pace):
    """One process's view of the paces. One thread's."""

    def __init__(self) -> None:
        super().__init__(Board())

    def bounds(self) -> Bounds | None:
        return bounds() if settings.DLQ_PACE_ENABLED else None

    def flush(self, *, now: bool = False) -> None:
        """The same; while the database is away it is kept, for the next time."""
        try:
            super().flush(now=now)
        except Error as error:
            if not connection_lost(error):
                raise
            connection.close()


def bounds() -> Bounds:
    """Between which rates an event type is slowed, from the settings."""
    return Bounds(
        settings.DLQ_PACE_FLOOR / 60, settings.DLQ_PACE_CEILING / 60, settings.DLQ_PACE_COME_BACK / 100
    )
