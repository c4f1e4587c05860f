"""Files in the archive's folder that should not be there: left by a dead run, replaced, or unknown.

A file that a dead run began has its row, and goes with it. A file without any row is named and left alone: it
may be of another database, or of this one before it was restored from a backup.
"""

from collections.abc import Sequence
from pathlib import Path

import psycopg

from dlqconsole.contrib.archive.job import mark, parquet
from dlqconsole.contrib.archive.job.layout import SUFFIX, WRITING, ArchiveAway, within
from dlqconsole.contrib.archive.job.moving import ACTOR, audit
from dlqconsole.contrib.archive.job.shapes import KINDS
from dlqconsole.contrib.archive.job.sql import sql
from dlqconsole.processing.quantities import counted

_NAMED = 5


def clear(connection: psycopg.Connection, folder: Path) -> list[str]:
    """Remove what dead runs and replaced files left; return their paths."""
    with connection.transaction():
        rows = connection.execute(sql("archive.unfinished")).fetchall()
        for file_id, path in rows:
            remove(connection, folder, path)
            connection.execute(sql("archive.forget_file"), {"file": file_id})
    return [path for _, path in rows] + leave(connection, folder)


def leave(connection: psycopg.Connection, folder: Path) -> list[str]:
    """Remove files that another took the place of, or whose time is over."""
    paths = []
    for file_id, path in connection.execute(sql("archive.leaving")).fetchall():
        remove(connection, folder, path)
        connection.execute(sql("archive.gone"), {"file": file_id})
        paths.append(path)
    return paths


def outlive(connection: psycopg.Connection, folder: Path, days: int) -> int:
    """Let files go that were kept long enough, each with an audit row; return their number of rows."""
    if not days:
        return 0
    with connection.transaction():
        over = connection.execute(sql("archive.outlived"), {"days": days}).fetchall()
        for file_id, kind, rows, sha256 in over:
            detail = {"kind": kind, "rows": rows, "sha256": sha256}
            reason = f"kept for {counted(days, 'days')} (DLQ_ARCHIVE_KEEP_DAYS)"
            audit(connection, ACTOR, "expire", f"archive_file:{file_id}", reason, detail)
    leave(connection, folder)
    return sum(row[2] for row in over)


def strangers(connection: psycopg.Connection, folder: Path) -> list[str]:
    """Return the files below the folder that no row names."""
    names = {row[0] for row in connection.execute(sql("archive.known_paths")).fetchall()}
    paths = (
        path.relative_to(folder).as_posix()
        for kind in KINDS
        for path in sorted((folder / kind).rglob("*"))
        if path.suffix in (SUFFIX, WRITING) and path.is_file()
    )
    return [path for path in paths if path not in names]


def words(paths: Sequence[str]) -> str:
    """The first of some paths."""
    more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    return ", ".join(paths[:_NAMED]) + more


def remove(connection: psycopg.Connection, folder: Path, path: str) -> None:
    """A row that died before its file had a name names none. Raises ArchiveAway where it cannot go."""
    if not path.endswith(SUFFIX):
        return
    mark.check(connection, folder)
    try:
        parquet.remove(within(folder, path))
    except OSError as error:
        raise ArchiveAway(
            f"{path} in the archive's folder should go and cannot be removed ({error.strerror}): nothing was"
            " archived, and nothing was deleted"
        ) from error
    # a missing file proves nothing where the folder is missing, too
    mark.check(connection, folder)
