"""Rows out of the archive: put back into their table, or erased. Their file is written anew without them.

The new file is compared with the old one's checksum less the rows'; both files change state in the
transaction that puts the rows back. Until that is committed the old file counts, afterwards the new one.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier

from dlqconsole.contrib.archive.job import mark, parquet
from dlqconsole.contrib.archive.job.columns import Checksum, Column
from dlqconsole.contrib.archive.job.layout import ArchiveAway, within
from dlqconsole.contrib.archive.job.moving import DayAndType, begin_file, check_kept, discard, keep_file
from dlqconsole.contrib.archive.job.orphan_files import remove
from dlqconsole.contrib.archive.job.parquet import FileDamaged, ParquetReader
from dlqconsole.contrib.archive.job.shapes import Child, TableShape, Texts
from dlqconsole.contrib.archive.job.sql import sql
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.processing import crash_points

type PutBack = Callable[[TableShape, Sequence[Texts]], None]


class NotThere(PipelineProblem):
    """The row is not in the archive, or no longer."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A kept file's row."""

    path: str
    kind: str
    day: date
    event_type: str
    rows: int
    checksum: str
    sha256: str


def find(
    connection: psycopg.Connection, folder: Path, letter_id: int
) -> tuple[int, str, TableShape, Texts] | None:
    """An archived dead letter: its file's number and path, the file's columns, and the row.

    Raises FileMissing or FileDamaged where a file that may hold it cannot be read, and no other holds it.
    """
    problem: PipelineProblem | None = None
    for file_id, path, size in connection.execute(sql("archive.lies_in"), {"id": letter_id}).fetchall():
        try:
            with parquet.open_reader(within(folder, path)) as file:
                if row := file.find(letter_id):
                    return file_id, path, file.shape, row
            parquet.check_size(within(folder, path), size)
        except PipelineProblem as error:
            problem = error
    if problem:
        raise problem
    return None


def take_out(
    connection: psycopg.Connection, folder: Path, file_id: int, row_ids: Collection[int], put_back: PutBack
) -> None:
    """Take rows out of their file; ``put_back`` does the rest in the same transaction.

    Raises PipelineProblem: NotThere, FileMissing, FileDamaged, ArchiveAway; then nothing was changed.
    """
    mark.check(connection, folder)
    place, shape = _about(connection, folder, file_id)
    new_id, path = begin_file(connection, shape, place)
    new = within(folder, path)
    try:
        with connection.transaction():
            old_row = _hold_file(connection, file_id, new_id)
            old = within(folder, old_row.path)
            check_kept(connection, folder, old_row.path, old_row.sha256)
            put_back(shape, _copy(connection, old, new, old_row, set(map(str, row_ids)), (file_id, new_id)))
            crash_points.reach("archive.taking")
            check_kept(connection, folder, old_row.path, old_row.sha256)
    except BaseException:
        _give_up(connection, new_id, new)
        raise
    crash_points.reach("archive.taken")
    # a file that cannot go now is marked as leaving, and the next run removes it
    with suppress(ArchiveAway):
        remove(connection, folder, old_row.path)
        connection.execute(sql("archive.gone"), {"file": file_id})


def put_back(connection: psycopg.Connection, shape: TableShape, row: Texts) -> None:
    """Insert a row and what belongs to it as they were."""
    count = len(shape.columns)
    _insert(connection, shape.kind.table, shape.columns, row[:count])
    for child, text in zip(shape.children, row[count:], strict=True):
        for one in child.rows(text) if text else ():
            _insert(connection, child.table, child.columns, one)


def children_of(shape: TableShape, row: Texts, name: str) -> list[dict[str, Any]]:
    """The rows that belong to an archived one, as canonical texts by column."""
    child = next(child for child in shape.children if child.name == name)
    text = row[shape.place(name)]
    return [dict(zip(_names(child), one, strict=True)) for one in child.rows(text)] if text else []


def _names(child: Child) -> list[str]:
    return [column.name for column in child.columns]


def _about(connection: psycopg.Connection, folder: Path, file_id: int) -> tuple[DayAndType, TableShape]:
    old_row = _kept_file(connection, file_id)
    with parquet.open_reader(within(folder, old_row.path)) as file:
        return DayAndType(old_row.day, old_row.event_type), file.shape


def _hold_file(connection: psycopg.Connection, file_id: int, new_id: int) -> KeptFile:
    old_row = _kept_file(connection, file_id)
    if connection.execute(sql("archive.hold_writing"), {"file": new_id}).fetchone() is None:
        raise NotThere("the archive was tidied in this moment: try again")
    return old_row


def _kept_file(connection: psycopg.Connection, file_id: int) -> KeptFile:
    row = connection.execute(sql("archive.held_file"), {"file": file_id}).fetchone()
    if row is None:
        raise NotThere("another took a row out of the same file in this moment: try again")
    return KeptFile(*row)


def _copy(
    connection: psycopg.Connection,
    old: Path,
    new: Path,
    base: KeptFile,
    numbers: set[str],
    files: tuple[int, int],
) -> list[Texts]:
    """Write the new file, or none where nothing is left, and change the states of both; the rows."""
    removals: list[Texts] = []
    ids: list[int] = []
    with parquet.open_reader(old) as file, _new_writer(new, file, base.rows > len(numbers)) as writer:
        for rows in file.groups():
            removals += [row for row in rows if row[0] in numbers]
            others = [row for row in rows if row[0] not in numbers]
            ids += [int(row[0] or 0) for row in others]
            if writer and others:
                writer.add(others)
        shape = file.shape
    if missing := sorted(numbers - {str(row[0]) for row in removals}, key=int):
        raise NotThere(f"{', '.join(missing)} is not in the archive any more")
    _change_states(connection, shape, removals, files, bool(ids))
    if ids:
        _keep(connection, new, base, removals, ids, files[1])
    return removals


@contextmanager
def _new_writer(new: Path, file: ParquetReader, is_needed: bool) -> Iterator[parquet.ArchiveWriter | None]:
    writer = parquet.ArchiveWriter(new, file.shape) if is_needed else None
    try:
        yield writer
    except BaseException:
        if writer:
            writer.give_up()
        raise
    if writer:
        writer.finish()


def _change_states(
    connection: psycopg.Connection,
    shape: TableShape,
    rows: Sequence[Texts],
    files: tuple[int, int],
    is_left: bool,
) -> None:
    old_id, new_id = files
    if is_left:
        queue, status, event_type = map(shape.place, ("queue", "status", "event_type"))
        values = {
            "queues": [row[queue] or row[event_type] for row in rows],
            "statuses": [row[status] for row in rows],
        }
        connection.execute(sql("archive.carry_counts"), {"file": new_id, "old": old_id, **values})
    else:
        connection.execute(sql("archive.forget_file"), {"file": new_id})
    connection.execute(sql("archive.forget_counts"), {"file": old_id})
    connection.execute(sql("archive.leave_file"), {"file": old_id})


def _keep(
    connection: psycopg.Connection,
    new: Path,
    base: KeptFile,
    rows: Sequence[Texts],
    ids: list[int],
    new_id: int,
) -> None:
    total, less = parquet.content_checksum(new), Checksum()
    less.add(rows)
    if total.rows != base.rows - len(rows) or total.total != int(base.checksum) - less.total:
        raise FileDamaged(f"{new.name} did not come out as its rows were: nothing was changed")
    proof = {"rows": total.rows, "checksum": str(total), "sha256": parquet.hash_of(new)}
    keep_file(connection, new_id, new, (min(ids), max(ids)), proof)


def _insert(connection: psycopg.Connection, table: str, columns: tuple[Column, ...], row: list[Any]) -> None:
    places = (SQL("t[{}]").format(place) for place in range(1, len(columns) + 1))
    values = [column.from_text(text) for column, text in zip(columns, places, strict=True)]
    statement = SQL(sql("archive.put_back").decode()).format(
        table=Identifier(table),
        columns=SQL(", ").join(Identifier(column.name) for column in columns),
        values=SQL(", ").join(values),
    )
    connection.execute(statement, {"texts": list(row)})


def _give_up(connection: psycopg.Connection, new_id: int, new: Path) -> None:
    try:
        discard(connection, new_id, new)
    except psycopg.Error:
        return  # the connection is broken: the next run finds the row, and the file by it
