"""The moment that a report is computed from: one snapshot for every query and every worker."""

from types import TracebackType
from typing import Any, Self

import psycopg

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.sql import sql

from .manifest import ReportOrigin


class SnapshotTransaction:
    """A transaction that stays open, and reads what was there when it began."""

    def __init__(self, database_url: str, run_id: int) -> None:
        self.connection = connect(database_url, f"report {run_id}", autocommit=False)
        self.connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        clock, snapshot = self._row("report.moment")
        self.origin = ReportOrigin(clock, snapshot, run_id)

    def export(self) -> str:
        """The snapshot's name, for other connections, as long as this one is open."""
        return str(self._row("report.snapshot")[0])

    def _row(self, query: str) -> tuple[Any, ...]:
        return self.connection.execute(sql(query)).fetchone() or ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()
