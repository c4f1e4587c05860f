"""Export the dead letters of a filter as CSV or JSON Lines, streamed by PostgreSQL's COPY at flat memory.

Personal data is always masked here: an unmasked export is an operation, which a second person approves. The
columns are those of ``operations.export_rows``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

from dlqconsole.core.named_sql import copy_rows
from dlqconsole.engine import audit
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.database import connection
from dlqconsole.operations.pages import export_rows
from dlqconsole.operations.pages.export_rows import Format as Format
from dlqconsole.reports.sql import sql

CONTENT_TYPES: dict[str, str] = {
    "csv": "text/csv; charset=utf-8; header=present",
    "jsonl": "application/x-ndjson; charset=utf-8",
}
# for millions of rows, masked; a client that goes away ends it sooner
TIME_LIMIT = "1h"
_CHUNK = 64 * 1024


@dataclass
class ListExport:
    """One export of the list: iterate over it for the bytes. Its end is audited with the row count.

    Call ``cut_off`` to stop before the end.
    """

    format: Format
    actor: str
    words: str
    rows: QuerySet[DeadLetter]
    detail: dict[str, Any] = field(default_factory=dict)
    row_count: int = 0
    is_complete: bool = False
    _is_audited: bool = False

    def __iter__(self) -> Iterator[bytes]:
        """Chunks of about 64 KB. Closing the iterator early ends the query and its connection."""
        try:
            with closing(_own_connection()) as own:
                yield from _chunks(self._lines(own))
            self.is_complete = True
        except GeneratorExit:
            # Nothing may be written here: a forgotten iterator is closed by the garbage collector, perhaps in
            # the middle of another statement on the same connection, which would wait for itself for ever.
            raise
        except BaseException:
            self._audit()
            raise
        self._audit()

    def cut_off(self) -> None:
        """Audit an export that was stopped early; nothing when its end is audited already."""
        self._audit()

    def _lines(self, own: BaseDatabaseWrapper) -> Iterator[bytes]:
        query, values = statement_of(self.rows)
        with own.cursor() as cursor, copy_rows(cursor, query, values) as copy:
            copy.set_types(["text"] * len(export_rows.COLUMNS))
            if beginning := export_rows.header(self.format):
                yield beginning.encode()
            line = export_rows.line_maker(self.format, is_masked=True)
            for number, row in enumerate(copy.rows(), 1):
                yield line(row).encode("utf-8", "replace")
                self.row_count = number

    def _audit(self) -> None:
        if self._is_audited:
            return
        self._is_audited = True
        detail = {"format": self.format, "rows": self.row_count, "completed": self.is_complete, **self.detail}
        audit.record(self.actor, "export", "dead_letters", reason=self.words, detail=detail)


def of_filter(matching: DeadLetterFilter, format: Format, actor: str) -> ListExport:
    """Export the dead letters that a filter matches when the first byte is read."""
    access = current_access()
    scope = {"scope": access.words()} if access.is_limited else {}
    detail = {"filter": matching.audit_parameters()} | scope
    return ListExport(format, actor, matching.words(), matching.queryset(), detail)


def of_ids(ids: Sequence[int], format: Format, actor: str) -> ListExport:
    """Export these dead letters."""
    rows = current_access().limit(DeadLetter.objects.filter(pk__in=ids))
    return ListExport(format, actor, f"{len(ids):,} ticked dead letters", rows, {"ids": list(ids)[:1000]})


def file_name(format: Format) -> str:
    """A name of our own making: nothing of the data or the request is in it."""
    return f"dead-letters-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.{format}"


def _own_connection() -> BaseDatabaseWrapper:
    """A connection beside the request's: the export may run for minutes, and only reads."""
    own = connection.copy()
    # what is set on it for an export must not come back to a pool of the web's
    own.settings_dict["OPTIONS"].pop("pool", None)
    own.connect()
    # one transaction: behind a pooler nothing else would be ours for so long
    own.set_autocommit(False)
    with own.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = '{TIME_LIMIT}'")
        cursor.execute("SET LOCAL transaction_read_only = on")
    return own


def statement_of(rows: QuerySet[DeadLetter]) -> tuple[str, tuple[Any, ...]]:
    """The COPY of these rows, in the order of their numbers, and its values."""
    matching, values = rows.order_by().values("pk").query.sql_with_params()
    return sql("exports.rows").format(columns=export_rows.columns_sql(), matching=matching), values


def _chunks(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Join lines to chunks: one write for each row would cost more than the query."""
    lines_of_chunk: list[bytes] = []
    size = 0
    for line in lines:
        lines_of_chunk.append(line)
        size += len(line)
        if size >= _CHUNK:
            yield b"".join(lines_of_chunk)
            lines_of_chunk, size = [], 0
    if lines_of_chunk:
        yield b"".join(lines_of_chunk)
