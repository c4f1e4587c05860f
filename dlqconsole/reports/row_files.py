"""A report's rows as a file: CSV for people's spreadsheets, JSON Lines for programs. Texts are masked.

Hidden characters are made visible for people; programs get every character unchanged.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from dlqconsole.engine.gate import shown
from dlqconsole.operations.pages.export_rows import cell
from dlqconsole.processing.texts import visible
from dlqconsole.reports.models import Report, ReportRow

CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8; header=present",
    "jsonl": "application/x-ndjson; charset=utf-8",
}


def content(report: Report, rows: Sequence[ReportRow], format: str) -> str:
    """Return the rows as text, one line each: day, keys and figures, as they were computed."""
    records = [_record(report, row) for row in rows]
    return "".join(_csv(report, records) if format == "csv" else _json_lines(records))


def _record(report: Report, row: ReportRow) -> dict[str, Any]:
    keys = {name: _masked(row.key.get(name)) for name in report.keys}
    return {"day": str(row.day), **keys, **{name: row.figures.get(name) for name in report.kinds}}


def _masked(value: Any) -> Any:
    return str(shown(value)) if isinstance(value, str) else value


def _json_lines(records: Sequence[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _csv(report: Report, records: Sequence[dict[str, Any]]) -> Iterator[str]:
    columns = ["day", *report.keys, *report.kinds]
    yield ",".join(columns) + "\r\n"
    for record in records:
        yield ",".join(_cell(record[name], foreign=name in report.keys) for name in columns) + "\r\n"


def _cell(value: Any, *, foreign: bool) -> str:
    return cell(None if value is None else visible(str(value)), foreign)
