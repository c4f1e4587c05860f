"""The ledger: how far each file is read, so that a restart need not read it again.

It is written when the events are in their tables, never before; and it stands in the same database, so that a
backup holds both. Without it everything is read once more and found unchanged.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.sources.files import SourceFile
from dlqconsole.pipeline.sources.marks import Known, Mark, State, Stretch, family, place
from dlqconsole.pipeline.sql import sql

_AT_ONCE = 1_000


class Ledger:
    """Reads and writes it for one run. ``again``: know of nothing, so that all is read anew."""

    def __init__(self, database_url: str, run_id: int, *, again: bool = False) -> None:
        self._database_url, self._run_id, self._again = database_url, run_id, again

    def recall(self, files: Sequence[tuple[SourceFile, State]]) -> list[list[Known]]:
        """What is known of each of these files. Raises DatabaseAway, psycopg.Error."""
        known: list[list[Known]] = [[] for _ in files]
        if self._again or not files:
            return known
        with connect(self._database_url, "ledger") as connection:
            connection.execute(sql("ledger.forget"))
            for start in range(0, len(files), _AT_ONCE):
                some = files[start : start + _AT_ONCE]
                for index, one in _recalled(connection, some):
                    known[start + index].append(one)
                connection.execute(sql("ledger.seen"), {"places": [place(file) for file, _ in some]})
        return known

    def keep(self, marks: Sequence[Mark], now_ns: int) -> None:
        """All that these marks say is done. `now_ns`: just before the first of the files was looked at."""
        with connect(self._database_url, "ledger") as connection:
            for start in range(0, len(marks), _AT_ONCE):
                _keep(connection, marks[start : start + _AT_ONCE], self._run_id, now_ns)


def keep_piece(connection: psycopg.Connection, mark: Mark, run_id: int) -> None:
    """A piece of a file is done."""
    _keep(connection, [mark], run_id, None)


def _recalled(
    connection: psycopg.Connection, files: Sequence[tuple[SourceFile, State]]
) -> list[tuple[int, Known]]:
    values = {
        "places": [place(file) for file, _ in files],
        "inodes": [state.inode for _, state in files],
        "families": [family(file) for file, _ in files],
        "root": _text(files[0][0].root),
    }
    return [(row[0], _known(row[1:])) for row in connection.execute(sql("ledger.recall"), values)]


def _known(row: Sequence[Any]) -> Known:
    seen_as, known_as, inode, size, modified, changed, whole, start, end, lines, digest = row
    stretch = Stretch(known_as, start, end, lines, digest.bytes)
    return Known(seen_as, State(inode, size, modified, changed), whole, stretch)


def _keep(connection: psycopg.Connection, marks: Sequence[Mark], run_id: int, now_ns: int | None) -> None:
    """``now_ns`` is None for pieces, which are no whole files."""
    values: dict[str, Any] = {
        "places": [place(mark.file) for mark in marks],
        "families": [family(mark.file) for mark in marks],
        "roots": [_text(mark.file.root) for mark in marks],
        "seen_as": [mark.file.name for mark in marks],
        "known_as": [mark.stretch.known_as for mark in marks],
        "inodes": [mark.state.inode for mark in marks],
        "sizes": [mark.state.size for mark in marks],
        "modified": [mark.state.modified_ns for mark in marks],
        "changed": [mark.state.changed_ns for mark in marks],
        "wholes": [now_ns is not None and mark.whole and mark.state.had_settled(now_ns) for mark in marks],
        "starts": [mark.stretch.start for mark in marks],
        "ends": [mark.stretch.end for mark in marks],
        "lines": [mark.stretch.lines for mark in marks],
        "digests": [UUID(bytes=mark.stretch.digest) for mark in marks],
        "whole_file": now_ns is not None,
        "run": run_id,
    }
    connection.execute(sql("ledger.keep"), values)


def _text(path: str) -> str:
    """A path as the database can hold it, whatever bytes are in it."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
