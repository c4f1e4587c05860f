"""The check that the bytes of a file are still those that were looked through."""

import os
import time
from typing import IO
from zlib import crc32

from .read_progress import DiskState

_BLOCK = 1024 * 1024


def check_of(file: IO[bytes], start: int, end: int | None) -> int:
    """A checksum of the bytes from `start` to `end` (None: all that are there)."""
    check = 0
    file.seek(start)
    rest = end - start if end is not None else _BLOCK
    while rest and (block := file.read(min(_BLOCK, rest))):
        check = crc32(block, check)
        rest -= len(block) if end is not None else 0
    return check


class ContentCheck:
    """A check that these bytes of an open file have that checksum, now and after they were read."""

    def __init__(self, file: IO[bytes], start: int, end: int | None, check: int) -> None:
        self._file, self._part, self._check = file, (start, end), check
        self._state = self._look()
        self.holds = check_of(file, start, end) == check

    def still_holds(self) -> bool:
        """Check again, at the end. A file that nobody has touched for some time is not read again for it."""
        state = self._look()
        if state == self._state and state.had_settled(time.time_ns()):
            return self.holds
        return check_of(self._file, *self._part) == self._check

    def _look(self) -> DiskState:
        return DiskState.of(os.fstat(self._file.fileno()))
