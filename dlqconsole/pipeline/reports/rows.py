"""A report's rows in PostgreSQL: one transaction replaces the days concerned, and marks them as computed."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import orjson
import psycopg
from psycopg.errors import UniqueViolation

from dlqconsole.pipeline.database import first_line
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.reports import DailyReport

from .computed_days import ReportPlan, declaration, note


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
