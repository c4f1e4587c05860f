"""Open a file to read: the very one that was found, and nothing that is to be waited for."""

import errno
import os
import stat
from pathlib import Path
from typing import IO

from dlqconsole.processing.beneath import open_beneath

from .files import SourceFile


def open_source(file: SourceFile) -> IO[bytes]:
    """The file, open for reading. Raises OSError, also where it is a plain file no more."""
    descriptor = open_beneath(file.within or file.root or Path(file.path).parent, file.path)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is a folder now", file.path)
