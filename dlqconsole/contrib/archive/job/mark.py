"""The archive's folder says whose it is: a mark in it holds the id of the database that put its files there.

A disk that is not mounted leaves an empty folder in its place, and another one mounted there may have files
of the same names. Where the database knows files, its mark must be there before one is written or deleted.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import orjson
import psycopg

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.contrib.archive.job.layout import ArchiveAway, check_writable, settle
from dlqconsole.contrib.archive.job.shapes import KINDS
from dlqconsole.contrib.archive.job.sql import sql
from dlqconsole.processing.plain_files import read_plain
from dlqconsole.processing.quantities import counted

MARK = ".dlqconsole-archive.json"
_LONGEST = 1_000
_UNCHANGED = "Nothing was archived, deleted, restored or erased"
ADOPT = f'{PROGRAM} archive adopt --because "why it is right"'


@dataclass(frozen=True, slots=True)
class ArchiveState:
    """The database's knowledge of the archive: its id, made by the first run, and its number of files."""

    id: UUID | None
    files: int


def check(connection: psycopg.Connection, folder: Path) -> None:
    """Raise ArchiveAway, with what to do, where the folder is not this database's."""
    state = read_state(connection)
    if state.id is None or read(folder) != state.id:
        raise ArchiveAway(_sentence(folder, state))


def problem(state: ArchiveState, folder: Path) -> str:
    """Return the same as a sentence; empty where all is well, and where nothing was archived yet."""
    if (state.id and read(folder) == state.id) or _is_fresh(state, folder):
        return ""
    return _sentence(folder, state)


def claim(connection: psycopg.Connection, folder: Path) -> None:
    """Have the folder ready for the archive job: a new one gets its mark. Raises ArchiveAway."""
    if _is_fresh(read_state(connection), folder):
        check_writable(folder)
        write(folder, identity(connection))
    check(connection, folder)
    check_writable(folder)


def adopt(connection: psycopg.Connection, folder: Path) -> UUID | None:
    """Make the folder this database's, whatever its mark said; return whose it was. Raises ArchiveAway."""
    before, own = read(folder), identity(connection)
    check_writable(folder)
    try:
        (folder / MARK).unlink(missing_ok=True)
    except OSError as error:
        raise ArchiveAway(f"{folder / MARK} cannot be replaced ({error.strerror})") from error
    write(folder, own)
    return before


def read_state(connection: psycopg.Connection) -> ArchiveState:
    """Read what stands in the database."""
    row = connection.execute(sql("archive.known")).fetchone()
    return ArchiveState(*row) if row else ArchiveState(None, 0)


def identity(connection: psycopg.Connection) -> UUID:
    """The database's id; made once, by whoever asks first."""
    connection.execute(sql("archive.make_identity"))
    row = connection.execute(sql("archive.identity")).fetchone()
    assert row  # noqa: S101 - it was just made, and nobody deletes it
    own: UUID = row[0]
    return own


def read(folder: Path) -> UUID | None:
    """Return the id in the folder's mark; None where it has none that can be read."""
    try:
        return UUID(orjson.loads(read_plain(folder / MARK, _LONGEST))["database"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def write(folder: Path, own: UUID) -> None:
    """Put the mark there, whole or not at all; one that is there stays: no two databases share a folder."""
    beside = folder / f"{MARK}.{uuid4().hex}"
    try:
        with beside.open("xb") as file:
            file.write(orjson.dumps({"database": str(own)}) + b"\n")
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(beside, folder / MARK)
        beside.unlink()
        settle(folder / MARK, folders=1)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise ArchiveAway(f"the archive's folder {folder} cannot be marked ({error.strerror})") from error


def _is_fresh(state: ArchiveState, folder: Path) -> bool:
    """Tell whether neither the database nor anybody else has something there."""
    nobodys = not any((folder / name).exists() for name in (MARK, *KINDS))
    return not state.files and nobodys


def _sentence(folder: Path, state: ArchiveState) -> str:
    """Return what is wrong, and what to do."""
    is_marked = (folder / MARK).exists()
    whose = f"it is another database's ({MARK} says so)" if is_marked else f"{MARK} is not in it"
    knows = f", and this database knows {counted(state.files, 'files')} there" if state.files else ""
    return (
        f"the archive's folder {folder} is not the right one: {whose}{knows}. {_UNCHANGED}. Mount it, or"
        f" correct DLQ_ARCHIVE_DIR; where it is the right one: {ADOPT}"
    )
