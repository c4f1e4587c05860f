"""Which files a source path names, and in which order they are read."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.processing.plain_files import kind_of

from .names import read_name

# source and source_key together are a key in PostgreSQL; a path may be longer than that allows
NAME_LIMIT = 400


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read, and the name it goes by: its path inside the folder that was asked for.

    ``root``: that folder, of which it is never read outside; the file's own where it is not said.
    ``problem``: why it cannot be read, where that is seen already. ``known_as``: the name under which its
    events were first read, where that is another: it was rotated.
    """

    path: str
    name: str
    root: str = ""
    problem: str = ""
    known_as: str = ""

    @property
    def source(self) -> str:
        """Who the events are that name no source of their own."""
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
class Found:
    """The files under a path, by name; and what is left alone there, a sentence each."""

    files: list[SourceFile]
    left_alone: list[str]


def find_files(source: str) -> list[SourceFile]:
    """The files under a path, by name. Raises BadRequest when there is nothing there to read."""
    return look_for_files(source).files


def look_for_files(source: str) -> Found:
    """The same, with what is left alone: nothing is read that lies elsewhere, or that could be waited for.

    What should be read and cannot be is among the files, and says why. The path itself may be a link: who
    names it means what is behind. Raises BadRequest.
    """
    path = Path(source)
    try:
        if path.is_dir():
            os.scandir(path).close()
            return _in_folder(path)
        if path.exists():
            return _alone(path)
    except OSError as error:
        raise BadRequest(_no_way_in(path, error)) from error
    raise BadRequest(f"there is no file or folder {source}")


def _no_way_in(path: Path, error: OSError) -> str:
    if isinstance(error, PermissionError):
        return f"no permission to read {error.filename or path}"
    return f"cannot read {path}: {error.strerror or error}"


def _alone(path: Path) -> Found:
    real = Path(os.path.realpath(path))
    if not path.is_file():
        raise BadRequest(f"{path} is {kind_of(os.stat(path).st_mode)}: only a file or a folder can be read")
    return Found([_source_file(real, real.parent, _shown(Path(path.name)))], [])


def _in_folder(folder: Path) -> Found:
    found = Found([], [])
    for file in sorted(_within(folder, found)):
        name = _shown(file.relative_to(folder))
        refusal = read_name(PurePosixPath(name).name).refusal
        problem = "" if refusal else _problem(file)
        kind = kind_of(_mode(file))
        if refusal:
            found.left_alone.append(f"{name} {refusal}")
        elif problem or kind == "a file":
            found.files.append(_source_file(file, folder, problem=problem))
        else:
            found.left_alone.append(f"{name} is {kind}")
    return Found(sorted(found.files, key=lambda file: file.name), found.left_alone)


def _within(folder: Path, found: Found) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        closed = Path(error.filename or folder)
        if closed != folder:
            problem = f"cannot look into the folder: {error.strerror or error}"
            shown = _shown(closed.relative_to(folder))
            found.files.append(_source_file(closed, folder, f"{shown}/", problem))

    for parent, folders, names in os.walk(folder, onerror=refuse):
        # what other programs are still writing hides behind a dot or an underscore
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        linked = [Path(parent, name) for name in folders if os.path.islink(os.path.join(parent, name))]
        found.left_alone.extend(f"{_shown(link.relative_to(folder))} is a symbolic link" for link in linked)
        yield from (Path(parent, name) for name in names if not name.startswith((".", "_")))


def _problem(file: Path) -> str:
    """A link that leads nowhere hides events that somebody counts on; any other leads out of the folder."""
    try:
        if os.path.islink(file):
            os.stat(file)
    except OSError:
        return "it is a symbolic link that leads nowhere"
    return ""


def _mode(file: Path) -> int:
    try:
        return os.lstat(file).st_mode
    except OSError:
        return stat.S_IFREG  # gone already: whoever opens it says so


def _shown(file: Path) -> str:
    """A path's text; what is no UTF-8 stays apart from what else is none."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")


def _source_file(file: Path, folder: Path, known_as: str = "", problem: str = "") -> SourceFile:
    name = known_as or _shown(file.relative_to(folder))
    return SourceFile(str(file.absolute()), name, str(folder.absolute()), problem)
