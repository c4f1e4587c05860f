"""Plain files: they hold their content, and reading them does not have to wait."""

import errno
import os
import stat
from pathlib import Path
from typing import IO

_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISDIR, "a folder"),
)

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# a pipe that nobody writes to would be waited for
_ANYTHING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def kind_of(mode: int) -> str:
    """Return the kind of thing that ``st_mode`` means: ``a named pipe``; ``a file`` for a plain one."""
    return next((words for is_one, words in _KINDS if is_one(mode)), "a file")


def open_plain(path: str | Path) -> IO[bytes]:
    """A plain file, open for reading. A link to one is followed: who names a path means what is behind it.

    Raises OSError, also for a pipe, a socket or a device, which are not waited for.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise OSError(errno.EINVAL, f"it is {kind_of(mode)}, and only a plain file is read", str(path))


def read_plain(path: str | Path, limit: int) -> bytes:
    """All of a plain file; OSError as above, and where it is longer than ``limit`` bytes."""
    with open_plain(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"it has more than {limit:,} bytes", str(path))
    return content


def open_beneath(root: str | Path, path: str | Path) -> int:
    """Return the file or folder ``path``, open for reading. ``root`` or a parent of it may be a link.

    Below it no link is followed, whoever puts one there, and when: each step is opened from the one before,
    for a name that was looked at may lead elsewhere when it is opened.

    Raises OSError, with a sentence for a link, a ``..``, and what is neither file nor folder.
    """
    steps = _steps(root, path)
    descriptor = os.open(root, _FOLDER)
    try:
        for number, step in enumerate(steps, 1):
            inner = _next(descriptor, step, last=number == len(steps))
            os.close(descriptor)
            descriptor = inner
        _only_file_or_folder(os.fstat(descriptor).st_mode)
    except OSError as error:
        os.close(descriptor)
        raise OSError(error.errno, error.strerror, str(path)) from error
    return descriptor


def _steps(root: str | Path, path: str | Path) -> tuple[str, ...]:
    try:
        steps = Path(path).relative_to(root).parts
    except ValueError:
        steps = ("..",)
    if ".." in steps:
        raise OSError(errno.EINVAL, f"it lies outside of {root}", str(path))
    return steps


def _next(folder: int, step: str, *, last: bool) -> int:
    try:
        return os.open(step, _ANYTHING if last else _ANYTHING | os.O_DIRECTORY, dir_fd=folder)
    except OSError as error:
        # the system's own words for a link that is not followed say nothing of links, nor of sockets
        if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
            raise
        kind = kind_of(os.stat(step, dir_fd=folder, follow_symlinks=False).st_mode)
        where = "in its place" if last else "on the way to it"
        raise OSError(error.errno, f"{kind} stands {where}") from error


def _only_file_or_folder(mode: int) -> None:
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, f"{kind_of(mode)} stands in its place")
