"""The place of a file: ``dead_letters/day=2026-01-31/type=order.created/part-7.parquet``."""

import hashlib
import os
from datetime import date
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from dlqconsole.pipeline.errors import PipelineProblem

SUFFIX = ".parquet"
# the ending of a file that is still being written, beside its place
WRITING = ".writing"
# of a name's escaped bytes: file systems end at 255
_LONGEST = 150


class ArchiveAway(PipelineProblem):
    """The archive's folder cannot be written: nothing was deleted."""


def path_of(kind: str, day: date, event_type: str, number: int) -> str:
    """A new file's place below the archive's folder."""
    return f"{kind}/day={day}/type={folder_name(event_type)}/part-{number}{SUFFIX}"


def folder_name(event_type: str) -> str:
    """A type as one folder's name; one that is too long ends in a part of its hash."""
    name = quote(event_type, safe="") or "%00"
    # names that a file system keeps for itself
    name = name.replace(".", "%2E") if set(name) == {"."} else name
    if len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}~{hashlib.sha256(event_type.encode()).hexdigest()[:16]}"


def within(folder: Path, path: str) -> Path:
    """The file of a path that the database names; ArchiveAway for one that leads out of the folder."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts:
        raise ArchiveAway(f"{path!r} is no place in the archive")
    return folder.joinpath(*parts)


def check_writable(folder: Path) -> None:
    """Raise ArchiveAway with a sentence where nothing could be kept."""
    probe = folder / f".probe-{os.getpid()}"
    try:
        # unmasked payloads: nobody else's to read, unless somebody made the folder otherwise
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe.write_bytes(b"archive")
        probe.unlink()
    except OSError as error:
        raise ArchiveAway(
            f"the archive's folder {folder} cannot be written ({error.strerror}): nothing was archived,"
            " and nothing was deleted. DLQ_ARCHIVE_DIR says where it is"
        ) from error


def settle(path: Path, folders: int = 4) -> None:
    """Have the file system keep a file's name, and those of the folders up to the archive's own."""
    for folder in list(path.parents)[:folders]:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
