"""A sheet as a file: all of it is of one moment of the database, row by row at flat memory."""

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing

from django.db.backends.base.base import BaseDatabaseWrapper

from dlqconsole.core.named_sql import copy_rows
from dlqconsole.hosting.database import connection
from dlqconsole.operations.pages.copied_lines import COPIED, CopiedLines
from dlqconsole.operations.pages.sheets import Sheet
from dlqconsole.operations.sql import sql
from dlqconsole.processing.formats import writer
from dlqconsole.processing.formats.base import Row, Writer
from dlqconsole.processing.texts import one_line

# for millions of rows, masked
TIME_LIMIT = "1h"
# bytes are handed on after so many rows
_STEP = 200
# rows that could not be written, named on the receipt
_MOST_PROBLEMS = 20

type Pieces = Iterator[bytes]


class FileMaking:
    """One file: take its bytes, also empty ones; the numbers grow meanwhile.

    ``parts``: the number of rows by queue and event type, once all bytes are taken. ``problems``: why rows
    are not in it.
    """

    def __init__(self, sheet: Sheet, format: str) -> None:
        self.row_count, self.failed = 0, 0
        self.parts: Counter[tuple[str, str]] = Counter()
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.sheet, self.format = sheet, format

    def bytes(self) -> Generator[bytes]:
        """Make the file. Closing the iterator early ends the query and its connection."""
        sheet = self.sheet
        lines = COPIED.get(self.format) if sheet.made is None else None
        with closing(_own_connection()) as own, writer(self.format, sheet.columns, sheet.title) as out:
            yield from self._written(own, out) if lines is None else self._copied(own, out, lines)
            yield from out.end()
            self.notes = out.notes()
            self._count_parts(own)

    def told(self) -> list[str]:
        """The sentences about what the file does not have as the database has it."""
        return [*self.notes, *self.problems]

    def _written(self, own: BaseDatabaseWrapper, out: Writer) -> Pieces:
        for number, row in enumerate(self._read(own), 1):
            self._add(out, row)
            if number % _STEP == 0:
                yield out.take()

    def _copied(self, own: BaseDatabaseWrapper, out: Writer, lines: CopiedLines) -> Pieces:
        """Hand on the lines that PostgreSQL writes, behind the writer's heading."""
        pieces = [out.take()]
        with (
            own.connection.cursor() as cursor,
            copy_rows(cursor, lines.statement(self.sheet), self.sheet.values) as copy,
        ):
            # a row is a message of its own, whatever line ends are in it
            while line := copy.read():
                pieces.append(lines.line(bytes(line)))
                self.row_count += 1
                if self.row_count % _STEP == 0:
                    yield b"".join(pieces)
                    pieces = []
        yield b"".join(pieces)

    def _read(self, own: BaseDatabaseWrapper) -> Iterator[Row]:
        # not Django's: while it debugs, its COPY takes no values
        with (
            own.connection.cursor() as cursor,
            copy_rows(cursor, texts_of(self.sheet), self.sheet.values) as copy,
        ):
            copy.set_types(["text"] * len(self.sheet.columns))
            yield from copy.rows()

    def _add(self, out: Writer, row: Row) -> None:
        try:
            out.add(row if self.sheet.made is None else self.sheet.made(row))
        except Exception as error:  # any error harms this row only
            self.failed += 1
            if len(self.problems) < _MOST_PROBLEMS:
                cause = one_line(f"{type(error).__name__}: {error}", 300)
                self.problems.append(f"{self.sheet.noun} {row[0]} cannot be written: {cause}")
            return
        self.row_count += 1

    def _count_parts(self, own: BaseDatabaseWrapper) -> None:
        """Count them by the same moment of the database."""
        if self.sheet.parts_query:
            with own.connection.cursor() as cursor:
                cursor.execute(self.sheet.parts_query, self.sheet.values)
                self.parts.update({(queue, of_type): number for queue, of_type, number in cursor.fetchall()})


def texts_of(sheet: Sheet) -> str:
    """The COPY of a sheet's rows, each column a text."""
    return sql("exporting.texts").format(query=sheet.query)


def _own_connection() -> BaseDatabaseWrapper:
    """A connection beside the caller's: it reads for minutes, while the file's parts are stored."""
    own = connection.copy()
    # what is set on it for an export must not come back to a pool of the web's
    own.settings_dict["OPTIONS"].pop("pool", None)
    own.connect()
    # one transaction: behind a pooler nothing else would be ours for so long
    own.set_autocommit(False)
    with own.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute(f"SET LOCAL statement_timeout = '{TIME_LIMIT}'")
    return own
