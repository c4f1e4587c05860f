"""One dead letter as a row of an export; personal data is masked unless the caller says otherwise.

Moments are in UTC, the payload is JSON with its numbers as they were, and payload_raw_base64 has the bytes
that JSONB cannot hold. Values come from PostgreSQL as text and leave as text: no payload becomes a Python
object.
"""

import base64
from collections.abc import Callable, Sequence
from functools import lru_cache

from django.db.models import QuerySet

from dlqconsole.engine.gate import masker
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.pages.sheets import Sheet
from dlqconsole.operations.sql import sql
from dlqconsole.processing.formats.base import Column, Row, Sort
from dlqconsole.processing.masking import Masker

# longer texts are not cached
_LONG = 4_000
_RAW = "payload_raw_base64"

COLUMNS = (
    Column("id", Sort.INTEGER),
    Column("event_type"),
    Column("status", Sort.WORD),
    Column("error_category", Sort.WORD),
    Column("error_class"),
    Column("error_reason"),
    Column("queue"),
    Column("source"),
    Column("source_key"),
    Column("retry_count", Sort.INTEGER),
    Column("max_retries", Sort.INTEGER),
    Column("occurrences", Sort.INTEGER),
    Column("revive_count", Sort.INTEGER),
    Column("created_at", Sort.MOMENT),
    Column("first_failure_at", Sort.MOMENT),
    Column("last_failure_at", Sort.MOMENT),
    Column("dead_lettered_at", Sort.MOMENT),
    Column("retry_after", Sort.MOMENT),
    Column("group_id", Sort.INTEGER),
    Column("original_message_id", Sort.INTEGER),
    Column("payload", Sort.JSON),
    Column(_RAW, Sort.WORD),
    Column("headers", Sort.JSON),
    Column("error_stacktrace"),
)
_NAMES = [column.name for column in COLUMNS]
_RAW_PLACE = _NAMES.index(_RAW)


def letters(rows: QuerySet[DeadLetter], is_masked: bool = True) -> Sheet:
    """The sheet of these dead letters, in the order of their numbers."""
    matching, values = rows.order_by().values("pk").query.sql_with_params()
    return Sheet(
        "Dead letters",
        "dead letter",
        COLUMNS,
        sql("exporting.rows").format(columns=", ".join(map(_column_sql, COLUMNS)), matching=matching),
        values,
        row_maker() if is_masked else None,
        sql("exporting.row_parts").format(matching=matching),
    )


def row_maker() -> Callable[[Row], Row]:
    """Return a function from a row to what may leave of it."""
    mask, mask_texts = masker(), masked(COLUMNS)

    def made(row: Row) -> Row:
        values = mask_texts(row)
        if raw := values[_RAW_PLACE]:
            values[_RAW_PLACE] = _mask_raw(raw, mask)
        return values

    return made


def masked(columns: Sequence[Column]) -> Callable[[Row], list[str | None]]:
    """Return a function that masks the texts and the JSON of such rows."""
    mask = masker()
    of_text = [place for place, column in enumerate(columns) if column.sort is Sort.TEXT]
    of_json = [place for place, column in enumerate(columns) if column.sort is Sort.JSON]

    def made(row: Row) -> list[str | None]:
        values = list(row)
        for place in of_text:
            if text := values[place]:
                values[place] = _mask_cached(mask, text) if len(text) <= _LONG else mask.text(text)
        for place in of_json:
            if text := values[place]:
                values[place] = mask.json(text)
        return values

    return made


def moment(name: str) -> str:
    """A column of ``d`` as a moment in UTC."""
    return sql("exporting.moment").format(column=name)


def _column_sql(column: Column) -> str:
    name = column.name
    if column.sort is Sort.MOMENT:
        return f"{moment(name)} AS {name}"
    if name == _RAW:
        return f"{sql('exporting.raw')} AS {name}"
    return f"d.{name}::text AS {name}" if column.sort is Sort.JSON else f"d.{name}"


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
