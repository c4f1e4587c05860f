"""One dead letter as a line of CSV or JSON Lines; personal data is masked unless the caller says otherwise.

The columns, in both formats: id, event_type, status, error_category, error_class, error_reason, queue,
source, source_key, retry_count, max_retries, occurrences, revive_count, created_at, first_failure_at,
last_failure_at, dead_lettered_at, retry_after (UTC), group_id, original_message_id, payload (JSON, with its
numbers as they were), payload_raw_base64 (the bytes, where JSONB cannot hold them), headers and
error_stacktrace.

Values come from PostgreSQL as text and leave as text: no payload becomes a Python object.
"""

import base64
import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal

from dlqconsole.engine.gate import masker
from dlqconsole.operations.sql import sql
from dlqconsole.processing.masking import Masker

# longer texts are not cached
_LONG = 4_000

Format = Literal["csv", "jsonl"]
type Row = Sequence[str | None]
type Line = Callable[[Row], str]

COLUMNS = (
    "id", "event_type", "status", "error_category", "error_class", "error_reason", "queue", "source",
    "source_key", "retry_count", "max_retries", "occurrences", "revive_count", "created_at",
    "first_failure_at", "last_failure_at", "dead_lettered_at", "retry_after", "group_id",
    "original_message_id", "payload", "payload_raw_base64", "headers", "error_stacktrace",
)  # fmt: skip
_MOMENTS = ("created_at", "first_failure_at", "last_failure_at", "dead_lettered_at", "retry_after")
_TEXTS = ("error_class", "error_reason", "source", "source_key", "error_stacktrace")
_JSON = ("payload", "headers")
# numbers and JSON stand in JSON Lines without quotes
_BARE = (
    "id", "retry_count", "max_retries", "occurrences", "revive_count", "group_id",
    "original_message_id", *_JSON,
)  # fmt: skip
# columns with texts of others; the rest is ours
_FOREIGN = ("event_type", "queue", *_TEXTS, *_JSON)

# A spreadsheet runs a cell that begins with = + - @ or their full-width forms, also behind spaces, quotes,
# separators or a tab.
_FORMULA = re.compile("[\t\r\n]|[\\s\"'`;,\u00a0\u200b\u3000\ufeff]*[=+@\uff1d\uff0b\uff0d\uff20-]")
# some readers take these for the end of a line; in JSON they can only stand inside a string
_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def columns_sql() -> str:
    """The columns as PostgreSQL gives them: each as text, in the order of ``COLUMNS``."""
    return ", ".join(_column_sql(column) for column in COLUMNS)


def header(format: str) -> str:
    """The first line of the file; empty for JSON Lines."""
    return _record(COLUMNS) if format == "csv" else ""


def line_maker(format: str, is_masked: bool) -> Line:
    """Return a function from a row to its line."""
    line = _csv_line if format == "csv" else _jsonl_line
    if not is_masked:
        return line
    mask = masker()
    return lambda row: line(_mask_row(row, mask))


def cell(value: str | None, foreign: bool = True) -> str:
    """A field of CSV, quoted; an apostrophe in front makes what a spreadsheet would run a text."""
    if value is None:
        return '""'
    if foreign and _FORMULA.match(value):
        value = "'" + value
    return '"' + value.replace('"', '""') + '"'


def _column_sql(column: str) -> str:
    if column in _MOMENTS:
        return sql("exporting.moment").format(column=column)
    if column == "payload_raw_base64":
        return sql("exporting.raw")
    return f"d.{column}::text"


def _record(values: Row) -> str:
    return ",".join(map(cell, values)) + "\r\n"


def _csv_line(row: Row) -> str:
    return ",".join(map(cell, row, _IS_FOREIGN)) + "\r\n"


def _jsonl_line(row: Row) -> str:
    pairs = (
        start + (value if bare else json.dumps(value, ensure_ascii=False))
        if value is not None
        else start + "null"
        for start, value, bare in zip(_STARTS, row, _IS_BARE, strict=True)
    )
    line = "{" + ", ".join(pairs) + "}\n"
    if not line.isascii():
        for character, escape in _LINE_ENDS.items():
            line = line.replace(character, escape)
    return line


def _mask_row(row: Row, mask: Masker) -> Row:
    values = list(row)
    for place in _TEXT_PLACES:
        if text := values[place]:
            values[place] = _mask_cached(mask, text) if len(text) <= _LONG else mask.text(text)
    for place in _JSON_PLACES:
        if text := values[place]:
            values[place] = mask.json(text)
    if raw := values[_RAW_PLACE]:
        values[_RAW_PLACE] = _mask_raw(raw, mask)
    return values


@lru_cache(maxsize=4_096)
def _mask_cached(mask: Masker, text: str) -> str:
    """Mask a text, from a cache: the classes, sources and traces of a file are few."""
    return mask.text(text)


def _mask_raw(base64_text: str, mask: Masker) -> str:
    """Mask bytes that are text as text; replace other bytes by their size, for they may hold anything."""
    content = base64.b64decode(base64_text)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = f"‹{len(content):,} bytes that are no text›"
    return base64.b64encode(mask.json(text).encode()).decode()


_IS_FOREIGN = tuple(column in _FOREIGN for column in COLUMNS)
_IS_BARE = tuple(column in _BARE for column in COLUMNS)
_STARTS = tuple(f"{json.dumps(column)}: " for column in COLUMNS)
_TEXT_PLACES = tuple(COLUMNS.index(column) for column in _TEXTS)
_JSON_PLACES = tuple(COLUMNS.index(column) for column in _JSON)
_RAW_PLACE = COLUMNS.index("payload_raw_base64")
