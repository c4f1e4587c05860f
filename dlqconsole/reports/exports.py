"""CSV and JSON Lines of what a filter matches, streamed by PostgreSQL's COPY at flat memory.

The columns, in both formats: id, event_type, status, error_category, error_class, error_reason, queue,
source, source_key, retry_count, max_retries, occurrences, revive_count, created_at, first_failure_at,
last_failure_at, dead_lettered_at, retry_after (UTC), group_id, original_message_id, payload (exact text; JSON
in JSON Lines), payload_raw_base64 (the exact bytes, where JSONB cannot hold them), headers, error_stacktrace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

from dlqconsole.engine import audit
from dlqconsole.engine.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.reports.sql import sql

Format = Literal["csv", "jsonl"]
CONTENT_TYPES: dict[str, str] = {
    "csv": "text/csv; charset=utf-8; header=present",
    "jsonl": "application/x-ndjson; charset=utf-8",
}
TIME_LIMIT = "10min"
_CHUNK = 64 * 1024
_MOMENTS = ("created_at", "first_failure_at", "last_failure_at", "dead_lettered_at", "retry_after")
_TEXTS = (
    "event_type", "error_class", "error_reason", "queue", "source", "source_key", "payload", "headers",
    "error_stacktrace",
)  # fmt: skip


@dataclass
class Export:
    """One export: iterate over it for the bytes. Its end, whole or cut off, is audited with the row count."""

    format: Format
    actor: str
    words: str
    rows: QuerySet[DeadLetter]
    detail: dict[str, Any] = field(default_factory=dict)
    exported: int = 0
    completed: bool = False

    def __iter__(self) -> Iterator[bytes]:
        """Chunks of about 64 KB. Closing the iterator early ends the query and its connection."""
        try:
            with closing(_own_connection()) as own:
                yield from _chunks(self._lines(own))
            self.completed = True
        finally:
            self._audit()

    def _lines(self, own: BaseDatabaseWrapper) -> Iterator[bytes]:
        query, values = _statement(self.format, self.rows)
        with own.cursor() as cursor, cursor.copy(query, values) as copy:
            for number, line in enumerate(copy):
                self.exported = number + (self.format == "jsonl")  # CSV begins with its header
                # RFC 4180 ends lines with CR LF; PostgreSQL sends one row at a time
                yield bytes(line)[:-1] + b"\r\n" if self.format == "csv" else bytes(line)

    def _audit(self) -> None:
        detail = {"format": self.format, "rows": self.exported, "completed": self.completed, **self.detail}
        audit.record(self.actor, "export", "dead_letters", reason=self.words, detail=detail)


def of_filter(matching: DeadLetterFilter, format: Format, actor: str) -> Export:
    """Export what a filter matches at the moment the first byte is asked for."""
    detail = {"filter": matching.canonical()}
    return Export(format, actor, matching.words(), matching.queryset(), detail)


def of_ids(ids: Sequence[int], format: Format, actor: str) -> Export:
    """Export these dead letters."""
    rows = DeadLetter.objects.filter(pk__in=ids)
    return Export(format, actor, f"{len(ids):,} ticked dead letters", rows, {"ids": list(ids)[:1000]})


def file_name(format: Format) -> str:
    """A name of our own making: nothing of the data or the request is in it."""
    return f"dead-letters-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.{format}"


def _own_connection() -> BaseDatabaseWrapper:
    """A connection beside the request's: the export may run for minutes, and only reads."""
    own = connection.copy()
    # what is set on it for an export must not come back to a pool of the web's
    own.settings_dict["OPTIONS"].pop("pool", None)
    own.connect()
    with own.cursor() as cursor:
        cursor.execute(f"SET statement_timeout = '{TIME_LIMIT}'")
        cursor.execute("SET default_transaction_read_only = on")
    return own


def _statement(format: Format, rows: QuerySet[DeadLetter]) -> tuple[str, tuple[Any, ...]]:
    matching, values = rows.order_by().values("pk").query.sql_with_params()
    parts = {column: sql("exports.moment").format(column=column) for column in _MOMENTS}
    if format == "csv":
        parts |= {column: _literal("exports.defused").format(column=column) for column in _TEXTS}
    return sql(f"exports.{format}").format(matching=matching, **parts), values


def _literal(name: str) -> str:
    # a percent sign in our own text is not a placeholder
    return sql(name).replace("%", "%%")


def _chunks(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Join lines to chunks: a write a row would cost more than the query."""
    held: list[bytes] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= _CHUNK:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)
