"""The stores of a computed report: PostgreSQL for pages, Parquet for others."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import RunIsOver
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.reports import DailyReport

from .computed_days import ReportPlan, keep
from .files import Files
from .manifest import ReportOrigin
from .rows import store_rows


@dataclass(frozen=True, slots=True)
class Store:
    """Keeps what was computed in one run."""

    database_url: str
    folder: Path
    origin: ReportOrigin

    def replace(self, report: DailyReport, plan: ReportPlan, rows: list[dict[str, Any]], table: Any) -> str:
        """Store the days of the plan, and mark them as computed; return a line about it.

        `table` is the same rows for the files, or None: then there are none. Raises RunIsOver.
        """

        def publish() -> None:
            if connection.execute(sql("runs.hold"), {"id": self.origin.run_id}).fetchone() is None:
                raise RunIsOver("this run was marked as ended by another process: its report is not stored")
            if table is not None:
                Files(self.folder, report, plan, self.origin).replace(table)

        with connect(self.database_url, f"report {self.origin.run_id}") as connection:
            number = store_rows(connection, report, rows, plan, publish)
        days = len({row["day"] for row in rows if plan.replaces(row["day"])})
        where = f", also in {self.folder / report.name}" if table is not None else ""
        return f"{report.name}: {_count(number, 'row')} for {_count(days, 'day')}{where}{_kept_words(plan)}"

    def pass_over(self, report: DailyReport, plan: ReportPlan) -> str:
        """Keep the days as they are, for nothing is to be computed; return a line about it."""
        with connect(self.database_url, f"report {self.origin.run_id}") as connection:
            keep(connection, report, plan)
        return f"{report.name}: no day is open{_kept_words(plan)}"


def _kept_words(plan: ReportPlan) -> str:
    same = plan.kept_days
    if not same:
        return ""
    days = ", ".join(map(str, same[:3])) + (" …" if len(same) > 3 else "")
    return f"; {_count(len(same), 'day')} as before, for events of theirs were purged or archived: {days}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
