"""Files of exports, read again: rows of texts by column, whatever the format."""

import csv
import io
import json
import re
from datetime import datetime
from uuid import uuid4
from xml.etree import ElementTree
from zipfile import ZipFile

import pyarrow.parquet
import pytest
from django.db import connection
from django.test import Client

from dlqconsole.core.named_sql import copy_rows
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages import exporting
from dlqconsole.operations.pages.file_making import FileMaking, texts_of
from dlqconsole.operations.work import run
from dlqconsole.processing.formats import FORMATS
from dlqconsole.processing.formats.base import Row

_SPREADSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ESCAPED = re.compile("_x([0-9A-F]{4})_")
type Rows = list[dict[str, str | None]]


def file_of(operation: Operation) -> bytes:
    """The whole file of a completed export."""
    format = FORMATS[operation.result["format"]]
    return b"".join(exporting.content(operation.pk, format.is_packed))


def rows_of(content: bytes, format: str) -> Rows:
    """Its rows as texts; None where there is no value."""
    if format == "xlsx":
        return [row for sheet in sheets(content) for row in sheet]
    if format == "parquet":
        return [_texts(row) for row in pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist()]
    text = content.decode("utf-8-sig" if format == "csv_bom" else "utf-8")
    if format == "jsonl":
        lines = (json.loads(line, parse_int=str, parse_float=str) for line in text.splitlines())
        return [{name: _bare(value) for name, value in line.items()} for line in lines]
    return list(csv.DictReader(io.StringIO(text, newline="")))


def sheets(content: bytes) -> list[Rows]:
    """The rows of each sheet of a workbook, without its headings."""
    with ZipFile(io.BytesIO(content)) as book:
        names = sorted(name for name in book.namelist() if name.startswith("xl/worksheets/sheet"))
        return [_sheet(ElementTree.fromstring(book.read(name))) for name in names]  # noqa: S314 - ours


def formulas(content: bytes) -> list[str]:
    """What a spreadsheet would compute in a workbook."""
    with ZipFile(io.BytesIO(content)) as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))  # noqa: S314 - ours
    return [each.text or "" for each in sheet.iter(f"{_SPREADSHEET}f")]


def _sheet(sheet: ElementTree.Element) -> Rows:
    lines = []
    for row in sheet.iter(f"{_SPREADSHEET}row"):
        cells = {re.sub(r"\d", "", cell.get("r", "")): _cell(cell) for cell in row}
        lines.append(cells)
    headings = lines[0]
    return [{name: line.get(place) for place, name in headings.items() if name} for line in lines[1:]]


def _cell(cell: ElementTree.Element) -> str:
    text = "".join(cell.itertext())
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), text)


def _bare(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _texts(row: dict[str, object]) -> dict[str, str | None]:
    return {name: None if value is None else _moment(value) for name, value in row.items()}


def _moment(value: object) -> str:
    return f"{value:%Y-%m-%dT%H:%M:%S.%fZ}" if isinstance(value, datetime) else str(value)


def read_here(patch: pytest.MonkeyPatch) -> None:
    """Let exports read in the test's own transaction: their own connection sees only what is committed."""

    def read(self: FileMaking, own: object) -> list[Row]:
        sheet = self.sheet
        with (
            connection.connection.cursor() as cursor,
            copy_rows(cursor, texts_of(sheet), sheet.values) as copy,
        ):
            copy.set_types(["text"] * len(sheet.columns))
            return list(copy.rows())

    patch.setattr(FileMaking, "_read", read)


def taken_from_the_list(client: Client, format: str = "csv", filter: str = "") -> bytes:
    """The file behind the list's menu Export, once a worker has been there."""
    form = {"scope": "all", "filter": filter, "format": format, "request_key": uuid4()}
    answer = client.post("/dead-letters/export", form)
    assert answer.status_code == 302, answer.content
    number = int(answer["Location"].split("/")[-2])
    run.run(number)
    taken = client.get(f"/operations/{number}/export")
    assert taken.status_code == 200, taken.content
    return b"".join(taken.streaming_content)
