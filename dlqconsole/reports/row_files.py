"""A report's rows as a file, in any of the formats. Texts are masked.

Hidden characters are made visible for people; programs get every character unchanged.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from dlqconsole.engine.gate import shown
from dlqconsole.processing.formats import FORMATS, writer
from dlqconsole.processing.formats.base import Column, Sort
from dlqconsole.processing.texts import visible
from dlqconsole.reports.models import Report, ReportRow


def content(report: Report, rows: Sequence[ReportRow], format: str) -> bytes:
    """Return the rows as a file: day, keys and figures, as they were computed."""
    columns = list(_columns(report, rows))
    with writer(format, columns, "Report") as out:
        for row in rows:
            values = [str(row.day), *map(row.key.get, report.keys), *map(row.figures.get, report.kinds)]
            shown_as = visible if FORMATS[format].is_for_people else str
            out.add([None if value is None else shown_as(_text(value)) for value in values])
        return b"".join(out.end())


def _columns(report: Report, rows: Sequence[ReportRow]) -> Iterator[Column]:
    yield Column("day", Sort.WORD)
    for name in report.keys:
        are_numbers = rows and all(type(row.key.get(name)) is int for row in rows)
        yield Column(name, Sort.INTEGER if are_numbers else Sort.TEXT)
    for name in report.kinds:
        are_numbers = all(type(row.figures.get(name)) in (int, float, type(None)) for row in rows)
        yield Column(name, Sort.FIGURE if are_numbers else Sort.WORD)


def _text(value: Any) -> str:
    return str(shown(value)) if isinstance(value, str) else str(value)
