"""Opening a file to read: the very one that was found, in its folder, and nothing that is to be waited for.

Between the look and the opening somebody may have put a link in its place, or in the place of a folder on the
way: each step is opened from the one before it, and none of them may be a link.
"""

import errno
import os
import stat
from pathlib import Path
from typing import IO

from dlqconsole.processing.plain_files import kind_of

from .files import SourceFile

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# a pipe that nobody writes to would be waited for, and a link could lead anywhere
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def opened_source(file: SourceFile) -> IO[bytes]:
    """The file, open for reading. Raises OSError, also where it is a plain file no more."""
    path = Path(file.path)
    root = Path(file.root) if file.root else path.parent
    *folders, name = path.relative_to(root).parts
    folder = os.open(root, _FOLDER)
    try:
        for step in folders:
            if step == "..":
                raise OSError(errno.EINVAL, f"lies outside of {root}", file.path)
            inner = os.open(step, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return _plain(os.open(name, _FILE, dir_fd=folder), file.path)
    except OSError as error:
        raise _in_words(error, file.path) from error
    finally:
        os.close(folder)


def _plain(opened: int, path: str) -> IO[bytes]:
    mode = os.fstat(opened).st_mode
    if not stat.S_ISREG(mode):
        os.close(opened)
        raise OSError(errno.EINVAL, f"it is {kind_of(mode)} now", path)
    return os.fdopen(opened, "rb")


def _in_words(error: OSError, path: str) -> OSError:
    """The system's own words for a link that is not followed say nothing of links."""
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return OSError(error.errno, "a symbolic link stands in its place, or on the way to it", path)
    return error
