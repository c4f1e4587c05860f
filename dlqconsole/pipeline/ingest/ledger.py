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
from dlqconsole.pipeline.sources.progress import (
    DiskState,
    LedgerRecord,
    ReadProgress,
    Stretch,
    family,
    place,
)
from dlqconsole.pipeline.sql import sql

_AT_ONCE = 1_000


class Ledger:
    """Reads and writes it for one run. ``again``: know of nothing, so that all is read anew."""

    def __init__(self, database_url: str, run_id: int, *, again: bool = False) -> None:
        self._database_url, self._run_id, self._again = database_url, run_id, again

    def recall(self, files: Sequence[tuple[SourceFile, DiskState]]) -> list[list[LedgerRecord]]:
        """Return what is known of each of these files. Raises DatabaseAway, psycopg.Error."""
        records: list[list[LedgerRecord]] = [[] for _ in files]
        if self._again or not files:
            return records
        with connect(self._database_url, "ledger") as connection:
            connection.execute(sql("ledger.forget"))
            for start in range(0, len(files), _AT_ONCE):
                some = files[start : start + _AT_ONCE]
                for index, one in _recall(connection, some):
                    records[start + index].append(one)
                connection.execute(sql("ledger.seen"), {"places": [place(file) for file, _ in some]})
        return records

    def keep(self, progress: Sequence[ReadProgress], now_ns: int) -> None:
        """Keep this progress. `now_ns`: just before the first of the files was looked at."""
        with connect(self._database_url, "ledger") as connection:
            for start in range(0, len(progress), _AT_ONCE):
                _keep(connection, progress[start : start + _AT_ONCE], self._run_id, now_ns)


def keep_piece(connection: psycopg.Connection, each: ReadProgress, run_id: int) -> None:
    """Note that a piece of a file is done."""
    _keep(connection, [each], run_id, None)


def _recall(
    connection: psycopg.Connection, files: Sequence[tuple[SourceFile, DiskState]]
) -> list[tuple[int, LedgerRecord]]:
    values = {
        "places": [place(file) for file, _ in files],
        "inodes": [state.inode for _, state in files],
        "families": [family(file) for file, _ in files],
        "root": _text(files[0][0].root),
    }
    return [(row[0], _record_of(row[1:])) for row in connection.execute(sql("ledger.recall"), values)]


def _record_of(row: Sequence[Any]) -> LedgerRecord:
    seen_as, known_as, inode, size, modified_ns, changed_ns, whole, start, end, lines, digest = row
    stretch = Stretch(known_as, start, end, lines, digest.bytes)
    return LedgerRecord(seen_as, DiskState(inode, size, modified_ns, changed_ns), whole, stretch)


def _keep(
    connection: psycopg.Connection, progress: Sequence[ReadProgress], run_id: int, now_ns: int | None
) -> None:
    """``now_ns`` is None for pieces, which are no whole files."""
    values: dict[str, Any] = {
        "places": [place(each.file) for each in progress],
        "families": [family(each.file) for each in progress],
        "roots": [_text(each.file.root) for each in progress],
        "seen_as": [each.file.name for each in progress],
        "known_as": [each.stretch.known_as for each in progress],
        "inodes": [each.state.inode for each in progress],
        "sizes": [each.state.size for each in progress],
        "modified": [each.state.modified_ns for each in progress],
        "changed": [each.state.changed_ns for each in progress],
        "wholes": [now_ns is not None and each.whole and each.state.had_settled(now_ns) for each in progress],
        "starts": [each.stretch.start for each in progress],
        "ends": [each.stretch.end for each in progress],
        "lines": [each.stretch.lines for each in progress],
        "digests": [UUID(bytes=each.stretch.digest) for each in progress],
        "whole_file": now_ns is not None,
        "run": run_id,
    }
    connection.execute(sql("ledger.keep"), values)


def _text(path: str) -> str:
    """A path as the database can hold it, whatever bytes are in it."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
