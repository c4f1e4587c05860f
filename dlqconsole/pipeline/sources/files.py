"""Which files a source path names, and in which order they are read."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.processing.plain_files import kind_of

ENDINGS = (".jsonl", ".ndjson", ".json", ".gz")
# source and source_key together are a key in PostgreSQL; a path may be longer than that allows
NAME_LIMIT = 400


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read, and the name it goes by: its path inside the folder that was asked for.

    ``root``: that folder, of which it is never read outside; the file's own where it is not said.
    """

    path: str
    name: str
    root: str = ""

    @property
    def source(self) -> str:
        """Who the events are that name no source of their own."""
        if len(self.name) <= NAME_LIMIT:
            return f"file:{self.name}"
        digest = sha256(self.name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return f"file:{digest}…{self.name[-NAME_LIMIT // 2 :]}"

    @property
    def stem(self) -> str:
        """The type of events that name none: the file's name up to its first dot, as a queue's would be."""
        return Path(self.name).name.partition(".")[0][:255] or "events"


@dataclass(frozen=True, slots=True)
class Found:
    """The files under a path, by name; and what is left alone there, a sentence each."""

    files: list[SourceFile]
    left_alone: list[str]


def find_files(source: str) -> list[SourceFile]:
    """The files under a path, by name. Raises BadRequest when there is nothing there to read."""
    return look_for_files(source).files


def look_for_files(source: str) -> Found:
    """The same, with what is left alone: nothing is read that lies elsewhere, or that could be waited for.

    The path itself may be a link: who names it means what is behind. Raises BadRequest.
    """
    path = Path(source)
    try:
        if path.is_dir():
            return _in_folder(path)
        if path.exists():
            return _alone(path)
    except PermissionError as error:
        raise BadRequest(f"no permission to read {error.filename}") from error
    raise BadRequest(f"there is no file or folder {source}")


def _alone(path: Path) -> Found:
    real = Path(os.path.realpath(path))
    if not path.is_file():
        raise BadRequest(f"{path} is {kind_of(os.stat(path).st_mode)}: only a file or a folder can be read")
    return Found([_readable(real, real.parent, path.name)], [])


def _in_folder(folder: Path) -> Found:
    found = Found([], [])
    for file in sorted(_within(folder, found.left_alone)):
        mode = os.lstat(file).st_mode
        if stat.S_ISREG(mode):
            found.files.append(_readable(file, folder))
        else:
            found.left_alone.append(f"{file.relative_to(folder)} is {kind_of(mode)}")
    return found


def _within(folder: Path, left_alone: list[str]) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise error

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        linked = [Path(parent, name) for name in folders if os.path.islink(os.path.join(parent, name))]
        left_alone += [f"{link.relative_to(folder)} is a symbolic link" for link in linked]
        for name in names:
            # what other programs are still writing hides behind a dot or an underscore
            if name.endswith(ENDINGS) and not name.startswith((".", "_")):
                yield Path(parent, name)


def _readable(file: Path, folder: Path, known_as: str = "") -> SourceFile:
    if not os.access(file, os.R_OK):
        raise BadRequest(f"no permission to read {file}")
    name = os.fsencode(known_as or file.relative_to(folder)).decode("utf-8", "replace")
    return SourceFile(str(file.absolute()), name, str(folder.absolute()))
