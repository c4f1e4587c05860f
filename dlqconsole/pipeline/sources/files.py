"""The files that a source path names, in the order in which they are read; and how they are opened.

Nothing is read that lies elsewhere, whoever swaps a folder for a link meanwhile, or that could be waited for.
"""

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.processing.plain_files import kind_of, open_beneath

from .names import read_name

# source and source_key together are a key in PostgreSQL; a path may be longer than that allows
NAME_LIMIT = 400


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read, and the name it goes by: its path inside the folder that was asked for.

    ``root``: that folder, of which it is never read outside; the file's own where it is not said. ``within``:
    one above it, below which no link is followed, where who asked may not choose the folder freely.
    ``problem``: why it cannot be read, where that is seen already. ``known_as``: the name under which its
    events were first read, where that is another: it was rotated.
    """

    path: str
    name: str
    root: str = ""
    problem: str = ""
    known_as: str = ""
    within: str = ""

    @property
    def source(self) -> str:
        """The source of the events that name none of their own."""
        name = self.known_as or self.name
        if len(name) <= NAME_LIMIT:
            return f"file:{name}"
        digest = sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return f"file:{digest}…{name[-NAME_LIMIT // 2 :]}"

    @property
    def stem(self) -> str:
        """The type of events that name none: the file's name without its known endings."""
        return read_name(PurePosixPath(self.known_as or self.name).name).event_type


@dataclass(frozen=True, slots=True)
class FileListing:
    """The files under a path, by name; and what is left alone there, a sentence each."""

    files: list[SourceFile]
    left_alone: list[str]


def look_for_files(source: str, within: str = "") -> FileListing:
    """The files under a path, by name, and what is left alone there.

    What should be read and cannot be is among the files, and says why. The path itself may be a link: who
    names it means what is behind. Not so below ``within``, the folder in which who asked has to stay.
    Raises BadRequest when there is nothing there to read.
    """
    path = Path(source)
    try:
        return _in_folder(path, within) if _is_folder(path, within) else _alone(path, within)
    except FileNotFoundError as error:
        raise BadRequest(f"there is no file or folder {source}") from error
    except PermissionError as error:
        raise BadRequest(f"no permission to read {error.filename or path}") from error
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror or error}") from error


def open_source(file: SourceFile) -> IO[bytes]:
    """The file, open for reading. Raises OSError, also where it is a plain file no more."""
    descriptor = open_beneath(file.within or file.root or Path(file.path).parent, file.path)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is a folder now", file.path)


def _is_folder(path: Path, within: str) -> bool:
    if not within:
        return stat.S_ISDIR(os.stat(path).st_mode)
    descriptor = open_beneath(within, path)
    try:
        return stat.S_ISDIR(os.fstat(descriptor).st_mode)
    finally:
        os.close(descriptor)


def _alone(path: Path, within: str) -> FileListing:
    real = path if within else Path(os.path.realpath(path))
    if not within and not path.is_file():
        raise BadRequest(f"{path} is {kind_of(os.stat(path).st_mode)}: only a file or a folder can be read")
    return FileListing([_source_file(real, real.parent, within, _name_text(Path(path.name)))], [])


def _in_folder(folder: Path, within: str) -> FileListing:
    listing = FileListing([], [])
    for entry in _entries_in(folder, within or folder):
        name = _name_text(entry.path.relative_to(folder))
        refusal = read_name(entry.path.name).refusal
        if entry.kind == "a folder":
            listing.files.append(_source_file(entry.path, folder, within, f"{name}/", entry.problem))
        elif refusal and entry.kind == "a file":
            listing.left_alone.append(f"{name} {refusal}")
        elif entry.kind == "a file" or (entry.problem and not refusal):
            listing.files.append(_source_file(entry.path, folder, within, problem=entry.problem))
        else:
            listing.left_alone.append(f"{name} is {entry.kind}")
    return FileListing(sorted(listing.files, key=lambda file: file.name), sorted(listing.left_alone))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A name in a folder, and what it is. ``problem``: why what should be read cannot be."""

    path: Path
    kind: str = "a file"
    problem: str = ""


def _entries_in(top: Path, root: str | Path) -> Iterator[_Entry]:
    """All but folders, and folders that cannot be looked into. Raises OSError where ``top`` is such a one.

    Each folder is opened from ``root`` on: a thousand of them, one in the other, keep no more than one open.
    """
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            entries = _scan_folder(folder, root)
        except OSError as error:
            if folder == top:
                raise
            problem = f"cannot look into the folder: {error.strerror or error}"
            yield _Entry(folder, "a folder", problem)
            continue
        waiting += [entry.path for entry in entries if entry.kind == "a folder"]
        yield from (entry for entry in entries if entry.kind != "a folder")


def _scan_folder(folder: Path, root: str | Path) -> list[_Entry]:
    descriptor = open_beneath(root, folder)
    try:
        with os.scandir(descriptor) as scan:
            # a dot or an underscore marks a file that another program is still writing
            return [_entry(folder, one) for one in scan if not one.name.startswith((".", "_"))]
    finally:
        os.close(descriptor)


def _entry(folder: Path, one: os.DirEntry[str]) -> _Entry:
    path = folder / one.name
    if one.is_symlink():
        return _Entry(path, "a symbolic link", _leads_nowhere(one))
    try:
        mode = one.stat(follow_symlinks=False).st_mode
    except OSError:
        return _Entry(path)  # gone already: whoever opens it says so
    return _Entry(path, kind_of(mode))


def _leads_nowhere(link: os.DirEntry[str]) -> str:
    """Say that a link leads nowhere: it hides events; any other leads out of the folder."""
    try:
        link.stat()
    except OSError:
        return "it is a symbolic link that leads nowhere"
    return ""


def _name_text(file: Path) -> str:
    """A path's text; what is no UTF-8 stays apart from what else is none."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")


def _source_file(file: Path, folder: Path, within: str, known_as: str = "", problem: str = "") -> SourceFile:
    name = known_as or _name_text(file.relative_to(folder))
    return SourceFile(str(file.absolute()), name, str(folder.absolute()), problem, within=within)
