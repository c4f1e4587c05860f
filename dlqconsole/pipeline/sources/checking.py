"""Whether the bytes of a file are still those that were looked through."""

import os
import time
from typing import IO
from zlib import crc32

from .read_progress import State

_BLOCK = 1024 * 1024


def check_of(opened: IO[bytes], start: int, end: int | None) -> int:
    """A checksum of the bytes from `start` to `end` (None: all that are there)."""
    check = 0
    opened.seek(start)
    left = end - start if end is not None else _BLOCK
    while left and (block := opened.read(min(_BLOCK, left))):
        check = crc32(block, check)
        left -= len(block) if end is not None else 0
    return check


class Unchanged:
    """Whether these bytes of an open file are those with that checksum, now and after they were read."""

    def __init__(self, opened: IO[bytes], start: int, end: int | None, check: int) -> None:
        self._opened, self._part, self._check = opened, (start, end), check
        self._state = self._look()
        self.holds = check_of(opened, start, end) == check

    def still_holds(self) -> bool:
        """Asked at the end. A file that nobody has touched for some time is not read again for it."""
        state = self._look()
        if state == self._state and state.had_settled(time.time_ns()):
            return self.holds
        return check_of(self._opened, *self._part) == self._check

    def _look(self) -> State:
        return State.of(os.fstat(self._opened.fileno()))
