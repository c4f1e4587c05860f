"""The pace for processes with Django: it is kept in the database that Django is connected to."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import Error, connection

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.sql import sql as core_sql
from dlqconsole.core.transient_errors import connection_lost
from dlqconsole.processing import pacing
from dlqconsole.processing.pacing import DEFAULT_BOUNDS, SCHEDULE, Bounds


class PaceTable:
    """The table of the paces."""

    def rows(self, name: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the rows of a statement of ``core/flow/paces.sql``."""
        return fetch_dicts(core_sql(f"paces.{name}").replace("{silent}", core_sql("paces.silent")), values)


class Pace(pacing.BasePace):
    """One process's view of the paces. One thread's."""

    def __init__(self, operation: int = SCHEDULE) -> None:
        super().__init__(PaceTable(), operation)

    def bounds(self) -> Bounds | None:
        return bounds() if settings.DLQ_PACE_ENABLED else None

    def flush(self, *, now: bool = False) -> None:
        """Flush as the base does. While the database is away the counts are kept for the next time."""
        try:
            super().flush(now=now)
        except Error as error:
            if not connection_lost(error):
                raise
            connection.close()


def bounds() -> Bounds:
    """Return the rates between which a failure group is slowed."""
    return DEFAULT_BOUNDS
