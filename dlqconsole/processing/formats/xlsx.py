"""XLSX, by XlsxWriter, which keeps one row in memory and the rest on disk until the end.

Texts of others are cells of the sort text, and marked as Excel marks what is typed behind an apostrophe: none
is a formula, and none is changed. Integers of more than 15 digits are texts: Excel would round them. Moments
are texts, too, in UTC with their microseconds.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dlqconsole.processing.formats.base import Column, Format, Row, Sort, Writer, is_formula
from dlqconsole.processing.quantities import counted

# rows of a sheet, with the one of the headings; characters of a cell, in UTF-16
SHEET_ROWS, CELL_CHARACTERS = 1_048_576, 32_767
EXACT_DIGITS = 15
_CHUNK = 1024 * 1024


class _XlsxWriter(Writer):
    def __init__(self, columns: Sequence[Column], title: str) -> None:
        super().__init__(columns, title)
        import xlsxwriter

        self._folder = TemporaryDirectory(prefix="dlq-export-")
        self._path = Path(self._folder.name, "book.xlsx")
        self._book = xlsxwriter.Workbook(
            self._path, {"constant_memory": True, "tmpdir": self._folder.name, "use_zip64": True}
        )
        self._heading = self._book.add_format({"bold": True})
        self._marked = self._book.add_format({"quote_prefix": True})
        self._is_number = [column.sort in (Sort.INTEGER, Sort.FIGURE) for column in columns]
        self._sheet_count, self._too_long = 0, 0
        self._add_sheet()

    def add(self, row: Row) -> None:
        if self._next >= SHEET_ROWS:
            self._add_sheet()
        for place, (value, is_number) in enumerate(zip(row, self._is_number, strict=True)):
            if value is not None:
                self._write(place, value, is_number)
        self._next += 1

    def take(self) -> bytes:
        return b""

    def end(self) -> Iterator[bytes]:
        self._book.close()
        with self._path.open("rb") as file:
            while content := file.read(_CHUNK):
                yield content

    def notes(self) -> list[str]:
        sentences = []
        if self._sheet_count > 1:
            sentences.append(f"It has {self._sheet_count} sheets: one holds {SHEET_ROWS - 1:,} rows.")
        if self._too_long:
            cells = counted(self._too_long, "cells")
            sentences.append(
                f"{cells} of more than {CELL_CHARACTERS:,} characters, the most that XLSX can hold, say so"
                " instead: another format has them whole."
            )
        return sentences

    def close(self) -> None:
        self._folder.cleanup()

    def _add_sheet(self) -> None:
        self._sheet_count += 1
        self._sheet: Any = self._book.add_worksheet(
            self.title if self._sheet_count == 1 else f"{self.title} {self._sheet_count}"
        )
        self._sheet.freeze_panes(1, 0)
        for place, column in enumerate(self.columns):
            self._sheet.write_string(0, place, column.name, self._heading)
        self._next = 1

    def _write(self, place: int, value: str, is_number: bool) -> None:
        if is_number and len(value) <= EXACT_DIGITS:
            self._sheet.write_number(self._next, place, float(value) if "." in value else int(value))
            return
        if len(value) > CELL_CHARACTERS // 2 and len(value.encode("utf-16-le")) > CELL_CHARACTERS * 2:
            self._too_long += 1
            value = f"‹{len(value):,} characters: too long for a cell›"
        marked = self._marked if is_formula(value) else None
        self._sheet.write_string(self._next, place, value, marked)


def _forecast(rows: int) -> str:
    sheets = -(-rows // (SHEET_ROWS - 1))
    return f"on {sheets:,} sheets, as one holds {SHEET_ROWS - 1:,} rows" if sheets > 1 else ""


XLSX = Format(
    "xlsx",
    "Excel (XLSX)",
    "xlsx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    _XlsxWriter,
    is_packed=True,
    is_for_people=True,
    forecast=_forecast,
)
