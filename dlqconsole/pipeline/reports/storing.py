"""The stores of a computed report: PostgreSQL for pages, Parquet for others."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import psycopg
from psycopg.errors import UniqueViolation

from dlqconsole.pipeline.database import connect, first_line
from dlqconsole.pipeline.errors import PipelineProblem, RunIsOver
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.quantities import counted
from dlqconsole.processing.reports import DailyReport

from .days import ReportPlan, declaration, keep, note
from .files import Files
from .manifest import ReportOrigin

STORED = stored("{name:s}: {rows_sentence} for {days_sentence}")
STORED_WITH_FILES = stored("{name:s}: {rows_sentence} for {days_sentence}, also in {folder}")
NO_OPEN_DAY = stored("{name:s}: no day is open")
KEPT = stored("{days_sentence} as before, for events of theirs were purged or archived: {days}")


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
        words = STORED if table is None else STORED_WITH_FILES
        sentence = words.format(
            name=report.name,
            rows_sentence=counted(number, "rows"),
            days_sentence=counted(days, "days"),
            folder=self.folder / report.name,
        )
        return sentence + _kept_words(plan)

    def pass_over(self, report: DailyReport, plan: ReportPlan) -> str:
        """Keep the days as they are, for nothing is to be computed; return a line about it."""
        with connect(self.database_url, f"report {self.origin.run_id}") as connection:
            keep(connection, report, plan)
        return NO_OPEN_DAY.format(name=report.name) + _kept_words(plan)


def _kept_words(plan: ReportPlan) -> str:
    same = plan.kept_days
    if not same:
        return ""
    days = ", ".join(map(str, same[:3])) + (" …" if len(same) > 3 else "")
    return f"; {KEPT.format(days_sentence=counted(len(same), 'days'), days=days)}"


def store_rows(
    connection: psycopg.Connection,
    report: DailyReport,
    rows: Sequence[dict[str, Any]],
    plan: ReportPlan,
    publish: Callable[[], None],
) -> int:
    """Replace the days of the plan; return their number of rows. Other days' rows are left out.

    `publish` shows the files, last of all before the commit: should that fail, the days stay open, and the
    next run writes both anew. Raises PipelineProblem with a sentence.
    """
    own_rows = [row for row in rows if plan.replaces(row["day"])]
    lines = Counter(row["day"] for row in own_rows)
    days = plan.days if plan.days is None else list(plan.days)
    try:
        with connection.transaction(), connection.cursor() as cursor:
            # the row of the report is locked from here on: two reports at once follow one another
            cursor.execute(sql("report.declare"), declaration(report) | {"changes": plan.changes})
            cursor.execute(
                sql("report.clear"), {"name": report.name, "days": days, "kept": list(plan.kept_days)}
            )
            with cursor.copy(sql("report.copy_rows")) as copy:
                for row in _table_rows(report, own_rows):
                    copy.write_row(row)
            note(connection, report, plan, lines)
            publish()
    except UniqueViolation as error:
        keys = ", ".join(("day", *report.by))
        raise PipelineProblem(f"report {report.name!r} returned two rows for one {keys}") from error
    except psycopg.DataError as error:
        raise PipelineProblem(f"report {report.name!r} cannot be stored: {first_line(error)}") from error
    return len(own_rows)


def _table_rows(report: DailyReport, rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, date, str, str]]:
    for row in rows:
        key = {name: row[name] for name in report.by}
        figures = {name: row[name] for name in report.metrics}
        yield report.name, row["day"], _json(report, key), _json(report, figures)


def _json(report: DailyReport, values: dict[str, Any]) -> str:
    try:
        return orjson.dumps(values, default=_plain).decode()
    except TypeError as error:
        columns = ", ".join(values)
        raise PipelineProblem(f"report {report.name!r} cannot be stored: of {columns}: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        # Spark's decimals have more digits than the writer's 64 bits hold; PostgreSQL keeps each of them
        return orjson.Fragment(_digits(value))
    return str(value)


def _digits(value: Decimal) -> str:
    """All digits without an exponent: 5 for 5.00, 1.5 for 1.50."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
