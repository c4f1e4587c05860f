"""Dead letters as a file: one COPY, so one moment of the database, row by row at flat memory."""

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

from dlqconsole.core.named_sql import copy_rows
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.database import connection
from dlqconsole.operations.pages.export_rows import COLUMNS, EVENT_TYPE, ID, QUEUE, columns_sql, row_maker
from dlqconsole.operations.sql import sql
from dlqconsole.processing.formats import writer
from dlqconsole.processing.formats.base import Row, Writer
from dlqconsole.processing.texts import one_line

TITLE = "Dead letters"
# for millions of rows, masked
TIME_LIMIT = "1h"
# bytes are handed on after so many rows
_STEP = 200
# rows that could not be written, named on the receipt
_MOST_PROBLEMS = 20


class FileMaking:
    """One file: take its bytes, also empty ones; the numbers grow meanwhile.

    ``parts``: the number of rows by queue and event type. ``problems``: why rows are not in it.
    """

    def __init__(self, rows: QuerySet[DeadLetter], format: str, is_masked: bool = True) -> None:
        self.row_count, self.failed = 0, 0
        self.parts: Counter[tuple[str, str]] = Counter()
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.format = format
        self.rows = rows
        self._made = row_maker(is_masked)

    def bytes(self) -> Generator[bytes]:
        """Make the file. Closing the iterator early ends the query and its connection."""
        with closing(_own_connection()) as own, writer(self.format, COLUMNS, TITLE) as out:
            for number, row in enumerate(self._read(own), 1):
                self._add(out, row)
                if number % _STEP == 0:
                    yield out.take()
            yield from out.end()
            self.notes = out.notes()

    def told(self) -> list[str]:
        """The sentences about what the file does not have as the database has it."""
        return [*self.notes, *self.problems]

    def _read(self, own: BaseDatabaseWrapper) -> Iterator[Row]:
        query, values = statement_of(self.rows)
        # not Django's: while it debugs, its COPY takes no values
        with own.connection.cursor() as cursor, copy_rows(cursor, query, values) as copy:
            copy.set_types(["text"] * len(COLUMNS))
            yield from copy.rows()

    def _add(self, out: Writer, row: Row) -> None:
        try:
            out.add(self._made(row))
        except Exception as error:  # any error harms this row only
            self.failed += 1
            if len(self.problems) < _MOST_PROBLEMS:
                cause = one_line(f"{type(error).__name__}: {error}", 300)
                self.problems.append(f"dead letter {row[ID]} cannot be written: {cause}")
            return
        self.row_count += 1
        event_type = str(row[EVENT_TYPE])
        self.parts[row[QUEUE] or event_type, event_type] += 1


def statement_of(rows: QuerySet[DeadLetter]) -> tuple[str, tuple[Any, ...]]:
    """The COPY of these rows, in the order of their numbers, and its values."""
    matching, values = rows.order_by().values("pk").query.sql_with_params()
    return sql("exporting.rows").format(columns=columns_sql(), matching=matching), values


def _own_connection() -> BaseDatabaseWrapper:
    """A connection beside the caller's: it reads for minutes, while the file's parts are stored."""
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
