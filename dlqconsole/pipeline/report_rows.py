"""A report's rows in PostgreSQL: the days concerned are replaced in one transaction."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import orjson
import psycopg
from psycopg.errors import UniqueViolation

from dlqconsole.processing.reports import Report

from .database import first_line
from .errors import PipelineProblem
from .sql import sql


def store_rows(
    connection: psycopg.Connection,
    report: Report,
    rows: Sequence[dict[str, Any]],
    days: Sequence[date] | None,
) -> None:
    """Replace these days of the report, or all of it when `days` is None."""
    declared = {
        "name": report.name,
        "title": report.title,
        "keys": orjson.dumps(report.by).decode(),
        "metrics": orjson.dumps(list(report.metrics.items())).decode(),
    }
    try:
        with connection.transaction(), connection.cursor() as cursor:
            # the row of the report is locked from here on: two reports at once follow one another
            cursor.execute(sql("report.declare"), declared)
            cursor.execute(sql("report.clear"), {"name": report.name, "days": days and list(days)})
            with cursor.copy(sql("report.copy_rows")) as copy:
                for row in _table_rows(report, rows):
                    copy.write_row(row)
    except UniqueViolation as error:
        keys = ", ".join(("day", *report.by))
        raise PipelineProblem(f"report {report.name!r} returned two rows for one {keys}") from error
    except psycopg.DataError as error:
        raise PipelineProblem(f"report {report.name!r} cannot be stored: {first_line(error)}") from error


def _table_rows(report: Report, rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, date, str, str]]:
    for row in rows:
        key = {name: row[name] for name in report.by}
        figures = {name: row[name] for name in report.metrics}
        yield report.name, row["day"], _json(key), _json(figures)


def _json(values: dict[str, Any]) -> str:
    return orjson.dumps(values, default=_plain).decode()


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)
