"""The pace of a Spark worker: its board is the database, by the worker's own connection."""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.rows import dict_row

from dlqconsole.core.sql import sql as core_sql
from dlqconsole.processing import pacing
from dlqconsole.processing.pacing import Bounds, PaceKey


class _Board:
    """The paces in the database."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def rows(self, name: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the rows of a statement of ``core/flow/paces.sql``."""
        query = core_sql(f"paces.{name}").replace("{silent}", core_sql("paces.silent"))
        with self._connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query.encode(), values).fetchall()


class ReplayPace(pacing.BasePace):
    """An operation's own pace, as one of its workers sees it. ``bounds`` of None: nothing holds it back."""

    def __init__(self, connection: psycopg.Connection[Any], operation: int, bounds: Bounds | None) -> None:
        super().__init__(_Board(connection), operation)
        self._board_of_all, self._bounds = _Board(connection), bounds
        self._is_told = False

    def bounds(self) -> Bounds | None:
        return self._bounds

    def slowed_groups(self) -> list[int]:
        """The failure groups that are held back; once an operation the audit log says so."""
        groups = [key.group_id for key in self.slowed()]
        if groups and not self._is_told:
            self._is_told = True
            self._board_of_all.rows("tell", {"operation": self._operation})
        return groups

    def room(self, group: int, limit: int) -> int:
        """Return how many of a failure group may begin now."""
        return self.allowed({PaceKey("", group): limit})[PaceKey("", group)]

    def seconds_to_wait(self) -> float:
        """Return the wait until another of the slowed events may begin."""
        return 1 / max(self.slowed().values(), default=1.0)
