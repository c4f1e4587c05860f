"""Read a lookup file into rows by key, and refuse one that is damaged or half-written."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .plain_files import open_plain

type Row = dict[str, Any]


class BadTableError(Exception):
    """The file is there and is not a table we can use; the message names the line."""


def read_table(
    path: Path,
    key: str | tuple[str, ...],
    columns: tuple[str, ...] | None,
    types: dict[str, Callable[[str], Any]],
    null_values: frozenset[str],
) -> dict[Any, Row]:
    """Return the rows by key. Raises BadTableError, or OSError when the file cannot be opened."""
    rows: dict[Any, Row] = {}
    line = 0
    try:
        with io.TextIOWrapper(open_plain(path), encoding="utf-8-sig", newline="") as file:
            for line, row in READERS[path.suffix](file):  # noqa: B007  (the refusals name it)
                row = {name: None if _is_null(cell, null_values) else cell for name, cell in row.items()}
                for name, convert in types.items():
                    row[name] = _convert(row, name, convert)
                identity = row[key] if isinstance(key, str) else tuple(row[name] for name in key)
                if identity is not None and not (isinstance(identity, tuple) and None in identity):
                    rows[identity] = row if columns is None else {name: row[name] for name in columns}
    except (csv.Error, UnicodeDecodeError, ValueError, TypeError) as error:
        raise BadTableError(f"after line {line}: {error}") from None
    except KeyError as error:
        raise BadTableError(f"line {line} has no column {error}") from None
    return rows


def _is_null(cell: Any, null_values: frozenset[str]) -> bool:
    return isinstance(cell, str) and cell in null_values  # a cell of JSON may be a list


def _convert(row: Row, name: str, convert: Callable[[str], Any]) -> Any:
    cell = row[name]
    try:
        return None if cell is None else convert(cell)
    except (ValueError, TypeError):
        raise ValueError(f"{name} {cell!r} is not {getattr(convert, '__name__', 'valid')}") from None


def _read_cells(file: Any, delimiter: str) -> Iterator[tuple[int, Row]]:
    reader = csv.reader(file, delimiter=delimiter, strict=True)
    header = next(reader, None)
    if not header:
        raise ValueError("the line of column names is missing")
    for cells in reader:
        if not cells:
            continue
        if len(cells) != len(header):
            raise ValueError(f"{len(cells)} cells where {len(header)} were expected")
        yield reader.line_num, dict(zip(header, cells, strict=True))


def _csv(file: Any) -> Iterator[tuple[int, Row]]:
    return _read_cells(file, ",")


def _tsv(file: Any) -> Iterator[tuple[int, Row]]:
    return _read_cells(file, "\t")


def _json_lines(file: Any) -> Iterator[tuple[int, Row]]:
    for number, text in enumerate(file, start=1):
        if not text.strip():
            continue
        row = json.loads(text)
        if not isinstance(row, dict):
            raise ValueError("each line must be a JSON object")
        yield number, row


READERS: dict[str, Callable[[Any], Iterator[tuple[int, Row]]]] = {
    ".csv": _csv,
    ".jsonl": _json_lines,
    ".tsv": _tsv,
}
