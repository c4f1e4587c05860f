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
