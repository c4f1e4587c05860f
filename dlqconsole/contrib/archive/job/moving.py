"""The way of some rows into a file: written, read back, compared with the table, and only then deleted.

The file's row in ``archive_files`` is committed first and says *writing*. One transaction then holds the
rows, has PostgreSQL compute their checksum, and where the file comes to the same deletes them, counts them,
writes the audit row and makes the file *kept*. What a death leaves is known by its row (``orphan_files``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import orjson
import psycopg
from psycopg.sql import SQL, Composed, Identifier

from dlqconsole.contrib.archive.job import mark, parquet, searching
from dlqconsole.contrib.archive.job.layout import path_of, within
from dlqconsole.contrib.archive.job.parquet import FileDamaged
from dlqconsole.contrib.archive.job.shapes import VERSION, TableShape, Texts
from dlqconsole.contrib.archive.job.sql import sql
from dlqconsole.pipeline.errors import RunIsOver
from dlqconsole.pipeline.sql import sql as pipeline_sql
from dlqconsole.processing import crash_points

ACTOR = "archive"
# rows that a file holds at most, those that are read at a time, and bytes of text behind which a file ends
ROWS, AT_ONCE, BYTES = 10_000, 500, 64 * 1024**2


@dataclass(frozen=True, slots=True)
class DayAndType:
    """A day and an event type: what a file is of."""

    day: date
    event_type: str


@dataclass(frozen=True, slots=True)
class MoveResult:
    """The result of one file. ``gave_up``: somebody changed a row meanwhile, and nothing went."""

    file_id: int
    path: str
    ids: Sequence[int]
    gave_up: bool = False


class RowsChanged(Exception):
    """The rows are no longer those of the file."""


def move(
    connection: psycopg.Connection,
    folder: Path,
    shape: TableShape,
    place: DayAndType,
    ids: Sequence[int],
    run_id: int | None,
) -> MoveResult:
    """Put some rows into one file of the archive; ``ids`` of the result may be fewer: a file has its size.

    Raises psycopg.Error, OSError and PipelineProblem; then nothing was deleted, and the file is gone.
    """
    mark.check(connection, folder)
    file_id, path = begin_file(connection, shape, place)
    file = within(folder, path)
    try:
        written_ids = _write(connection, file, shape, ids)
        crash_points.reach("archive.written")
        _settle(connection, shape, file_id, folder, path, written_ids, run_id)
    except RowsChanged:
        discard(connection, file_id, file)
        return MoveResult(file_id, path, ids, gave_up=True)
    except BaseException:
        parquet.remove(file)
        raise
    crash_points.reach("archive.archived")
    return MoveResult(file_id, path, written_ids)


def begin_file(connection: psycopg.Connection, shape: TableShape, place: DayAndType) -> tuple[int, str]:
    """Make a file's row: its number, and its path with that number in it."""
    about = {"kind": shape.kind.name, "day": place.day, "event_type": place.event_type}
    with connection.transaction():
        row = connection.execute(sql("archive.begin_file"), about).fetchone()
        file_id = int(row[0]) if row else 0
        path = path_of(shape.kind.name, place.day, place.event_type, file_id)
        connection.execute(sql("archive.name_file"), {"file": file_id, "path": path})
    return file_id, path


def discard(connection: psycopg.Connection, file_id: int, file: Path) -> None:
    """A file that nothing came of."""
    parquet.remove(file)
    connection.execute(sql("archive.forget_file"), {"file": file_id})


def _write(connection: psycopg.Connection, file: Path, shape: TableShape, ids: Sequence[int]) -> list[int]:
    writer = parquet.ArchiveWriter(file, shape)
    ids_so_far: list[int] = []
    try:
        for rows in _read(connection, shape, ids):
            writer.add(rows)
            ids_so_far += [int(row[0] or 0) for row in rows]
            crash_points.reach("archive.writing")
    except BaseException:
        writer.give_up()
        raise
    writer.finish()
    return ids_so_far


def _read(connection: psycopg.Connection, shape: TableShape, ids: Sequence[int]) -> Iterator[list[Texts]]:
    """The rows, some at a time, until a file is full."""
    size = 0
    with connection.transaction(), connection.cursor("archived", binary=True) as cursor:
        cursor.execute(query("archive.rows", shape), {"ids": list(ids)})
        while size < BYTES and (rows := cursor.fetchmany(AT_ONCE)):
            size += sum(len(text) for (row,) in rows for text in row if text)
            yield [row for (row,) in rows]


def _settle(
    connection: psycopg.Connection,
    shape: TableShape,
    file_id: int,
    folder: Path,
    path: str,
    ids: Sequence[int],
    run_id: int | None,
) -> None:
    file = within(folder, path)
    content = parquet.content_checksum(file)
    sha256 = parquet.hash_of(file)
    proof = {"rows": content.rows, "checksum": str(content), "sha256": sha256}
    with connection.transaction():
        if not ids or _in_table(connection, shape, ids) != (content.rows, str(content)):
            raise RowsChanged
        keep_file(connection, file_id, file, (min(ids), max(ids)), proof)
        connection.execute(sql(f"archive.{shape.kind.name}_counts"), {"file": file_id, "ids": list(ids)})
        _delete(connection, shape, ids)
        audit(connection, ACTOR, "archive", f"archive_file:{file_id}", "", {
            "kind": shape.kind.name, "path": path, "first": min(ids), "last": max(ids), **proof})  # fmt: skip
        count_in_run(connection, run_id, len(ids))
        crash_points.reach("archive.deleting")
        # the last moment in which nothing is lost: a disk may have gone since the file was read back
        check_kept(connection, folder, path, sha256)


def check_kept(connection: psycopg.Connection, folder: Path, path: str, sha256: str) -> None:
    """Raise PipelineProblem where a file is no longer what it was, or its folder not the right one."""
    mark.check(connection, folder)
    file = within(folder, path)
    if parquet.hash_of(file) != sha256:
        raise FileDamaged(f"{file.name} in {file.parent} is not what was written: its SHA-256 differs")


def _in_table(connection: psycopg.Connection, shape: TableShape, ids: Sequence[int]) -> tuple[int, str]:
    """Return the number of rows and PostgreSQL's checksum; nobody changes them until the commit."""
    connection.execute(query("archive.locked", shape), {"ids": list(ids)})
    row = connection.execute(query("archive.checksum", shape), {"ids": list(ids)}).fetchone()
    return (int(row[0]), str(row[1])) if row else (0, "")


def _delete(connection: psycopg.Connection, shape: TableShape, ids: Sequence[int]) -> None:
    tables = [(child.table, child.reference) for child in shape.children] + [(shape.kind.table, "id")]
    for table, reference in tables:
        statement = SQL(sql("archive.remove").decode()).format(
            table=Identifier(table), reference=Identifier(reference)
        )
        result = connection.execute(statement, {"ids": list(ids)})
    if result.rowcount != len(ids):
        raise RowsChanged


def keep_file(
    connection: psycopg.Connection,
    file_id: int,
    file: Path,
    ids: tuple[int, int],
    proof: dict[str, Any],
) -> None:
    """Make the file count from the commit on."""
    values = {"file": file_id, "first": ids[0], "last": ids[1], "version": VERSION, **proof}
    values["keys"] = searching.of_file(file)
    row = connection.execute(sql("archive.keep_file"), values | {"bytes": file.stat().st_size}).fetchone()
    if row is None:
        raise RowsChanged


def audit(
    connection: psycopg.Connection, actor: str, action: str, target: str, reason: str, detail: dict[str, Any]
) -> None:
    """One row of the audit log in the caller's transaction."""
    values = {"actor": actor, "action": action, "target": target, "reason": reason}
    connection.execute(sql("archive.audit"), values | {"detail": orjson.dumps(detail).decode()})


def count_in_run(connection: psycopg.Connection, run_id: int | None, rows: int) -> None:
    """The run's figures change in the same commit. Raises RunIsOver where somebody ended it."""
    if run_id is None:
        return
    counts = orjson.dumps({"archived": rows, "files": 1}).decode()
    values = {"id": run_id, "done": rows, "blank": 0, "counts": counts}
    if connection.execute(pipeline_sql("runs.add"), values).fetchone() is None:
        raise RunIsOver("this run was marked as ended by another process")


def query(name: str, shape: TableShape) -> Composed:
    """A named query over a shape's table and canonical row."""
    text = SQL(sql(name).decode())
    return text.format(row=shape.row(), table=Identifier(shape.kind.table))
