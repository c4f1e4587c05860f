"""The files that a source path names, in the order in which they are read."""

import os
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.processing.beneath import open_beneath
from dlqconsole.processing.plain_files import kind_of

from .listing import entries_in
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


def find_files(source: str) -> list[SourceFile]:
    """The files under a path, by name. Raises BadRequest when there is nothing there to read."""
    return look_for_files(source).files


def look_for_files(source: str, within: str = "") -> FileListing:
    """The same, with what is left alone: nothing is read that lies elsewhere, or that could be waited for.

    What should be read and cannot be is among the files, and says why. The path itself may be a link: who
    names it means what is behind. Not so below ``within``, the folder in which who asked has to stay.
    Raises BadRequest.
    """
    path = Path(source)
    try:
        if _is_folder(path, within):
            return _in_folder(path, within)
        return _alone(path, within)
    except FileNotFoundError as error:
        raise BadRequest(f"there is no file or folder {source}") from error
    except OSError as error:
        raise BadRequest(_no_way_in(path, error)) from error


def _is_folder(path: Path, within: str) -> bool:
    if not within:
        return stat.S_ISDIR(os.stat(path).st_mode)
    descriptor = open_beneath(within, path)
    try:
        return stat.S_ISDIR(os.fstat(descriptor).st_mode)
    finally:
        os.close(descriptor)


def _no_way_in(path: Path, error: OSError) -> str:
    if isinstance(error, PermissionError):
        return f"no permission to read {error.filename or path}"
    return f"cannot read {path}: {error.strerror or error}"


def _alone(path: Path, within: str) -> FileListing:
    real = path if within else Path(os.path.realpath(path))
    if not within and not path.is_file():
        raise BadRequest(f"{path} is {kind_of(os.stat(path).st_mode)}: only a file or a folder can be read")
    return FileListing([_source_file(real, real.parent, within, _name_text(Path(path.name)))], [])


def _in_folder(folder: Path, within: str) -> FileListing:
    listing = FileListing([], [])
    for entry in entries_in(folder, within or folder):
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


def _name_text(file: Path) -> str:
    """A path's text; what is no UTF-8 stays apart from what else is none."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")


def _source_file(file: Path, folder: Path, within: str, known_as: str = "", problem: str = "") -> SourceFile:
    name = known_as or _name_text(file.relative_to(folder))
    return SourceFile(str(file.absolute()), name, str(folder.absolute()), problem, within=within)
