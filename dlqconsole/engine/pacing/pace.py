"""The pace of the processes that have Django: its board is the database that Django is connected to."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import Error, connection

from dlqconsole.engine.database.transient_errors import connection_lost
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.processing import pacing
from dlqconsole.processing.pacing import SCHEDULE, Bounds
from dlqconsole.statements import sql as shared


class Board:
    """The paces in the database."""

    def rows(self, name: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What a statement of ``statements/paces.sql`` returns."""
        return fetch_dicts(shared(f"paces.{name}").replace("{silent}", shared("paces.silent")), values)


class Pace(pacing.BasePace):
    """One process's view of the paces. One thread's."""

    def __init__(self, operation: int = SCHEDULE) -> None:
        super().__init__(Board(), operation)

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
    """Between which rates a failure group is slowed, from the settings."""
    return Bounds(
        settings.DLQ_PACE_FLOOR / 60, settings.DLQ_PACE_CEILING / 60, settings.DLQ_PACE_COME_BACK / 100
    )
