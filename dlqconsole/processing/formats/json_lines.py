"""JSON Lines: one object a line, with the numbers of its JSON as they were."""

import json
from collections.abc import Sequence

from dlqconsole.processing.formats.base import Column, Format, Row, Writer

_encode = json.JSONEncoder(ensure_ascii=False).encode
# some readers take these for the end of a line; in JSON they can only stand inside a string
_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}


class _JsonLinesWriter(Writer):
    def __init__(self, columns: Sequence[Column], title: str) -> None:
        super().__init__(columns, title)
        self._starts = [f"{json.dumps(column.name)}: " for column in columns]
        self._is_bare = [column.is_bare for column in columns]
        self._lines: list[str] = []

    def add(self, row: Row) -> None:
        self._lines.append(self._line(row))

    def take(self) -> bytes:
        text = "".join(self._lines)
        self._lines = []
        return text.encode("utf-8", "replace")

    def _line(self, row: Row) -> str:
        pairs = (
            start + (value if bare else _encode(value)) if value is not None else start + "null"
            for start, value, bare in zip(self._starts, row, self._is_bare, strict=True)
        )
        line = "{" + ", ".join(pairs) + "}\n"
        if not line.isascii():
            for character, escape in _LINE_ENDS.items():
                line = line.replace(character, escape)
        return line


JSON_LINES = Format("jsonl", "JSON Lines", "jsonl", "application/x-ndjson; charset=utf-8", _JsonLinesWriter)
