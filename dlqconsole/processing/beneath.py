"""Open what lies below a folder, and nothing else: no link is followed, whoever puts one there, and when.

Each step is opened from the one before it: a name that was looked at may lead elsewhere when it is opened.
"""

import errno
import os
import stat
from pathlib import Path

from dlqconsole.processing.plain_files import kind_of

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# a pipe that nobody writes to would be waited for
_ANYTHING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_beneath(root: str | Path, path: str | Path) -> int:
    """Return the file or folder ``path``, open for reading. ``root`` or a parent of it may be a link.

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
