"""CSV as RFC 4180 has it. With a byte order mark Excel reads it as UTF-8."""

from collections.abc import Sequence

from dlqconsole.processing.formats.base import SUSPECTS, Column, Format, Row, Writer, is_formula
from dlqconsole.processing.inputs.sentences import gettext_noop


def cell(value: str | None, foreign: bool = True) -> str:
    """A field, quoted, or nothing; an apostrophe in front makes what a spreadsheet would run a text."""
    if value is None:
        return ""
    if foreign and is_formula(value):
        value = "'" + value
    return '"' + value.replace('"', '""') + '"'


def record(values: Row) -> str:
    """A line of texts of others."""
    return ",".join(map(cell, values)) + "\r\n"


class _CsvWriter(Writer):
    def __init__(self, columns: Sequence[Column], title: str, beginning: str = "") -> None:
        super().__init__(columns, title)
        self._is_foreign = [column.is_foreign for column in columns]
        self._lines = [beginning + record([column.name for column in columns])]

    def add(self, row: Row) -> None:
        # nearly all cells need no second look
        cells = [
            cell(value, is_foreign)
            if value is None or '"' in value or (is_foreign and value[:1] in SUSPECTS)
            else f'"{value}"'
            for value, is_foreign in zip(row, self._is_foreign, strict=True)
        ]
        self._lines.append(",".join(cells) + "\r\n")

    def take(self) -> bytes:
        text = "".join(self._lines)
        self._lines = []
        return text.encode("utf-8", "replace")


def _with_bom(columns: Sequence[Column], title: str) -> Writer:
    return _CsvWriter(columns, title, "\ufeff")


CSV = Format("csv", "CSV", "csv", "text/csv; charset=utf-8; header=present", _CsvWriter, is_for_people=True)
CSV_WITH_BOM = Format(
    "csv_bom", gettext_noop("CSV with BOM, for Excel"), "csv", CSV.content_type, _with_bom, is_for_people=True
)
