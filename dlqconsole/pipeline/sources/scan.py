"""One look through the bytes of a file: where its lines are, and which of them are done already.

And the check that its bytes are still those, when they are read.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import IO
from zlib import crc32

from .progress import DIGEST_BYTES, DiskState, Stretch

_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Bookmark:
    """The place up to which a file has been read. ``check``: of its bytes from ``checked_from`` on."""

    offset: int = 0
    lines: int = 0
    checked_from: int = 0
    check: int = 0


START = Bookmark()


@dataclass(frozen=True, slots=True)
class Cut:
    """Some lines of a file.

    ``check``: the checksum of their bytes. ``digest``: of all of the file up to ``whole_end``, after the last
    line feed.
    """

    start: int
    end: int
    first_line: int
    lines: int
    check: int
    whole_end: int
    whole_lines: int
    digest: bytes


class Scan:
    """A look through the bytes from ``begin`` on, which cuts what lies behind ``read`` into pieces.

    At the end of each stretch of ``done`` it compares: where everything so far is the same, that is done.
    """

    def __init__(
        self, begin: Bookmark, stretches: Sequence[Stretch], piece_bytes: int | None, read: Bookmark = START
    ) -> None:
        self._piece_bytes = piece_bytes
        self._read_end = read.offset
        ends = {stretch.end for stretch in stretches} | {read.offset}
        self._ends = sorted((end for end in ends if end > begin.offset), reverse=True)
        self._stretches = stretches
        self._skip: set[tuple[int, int]] = set()
        self.known_as = ""
        self.position, self.lines = begin.offset, begin.lines
        self.whole_end = begin.offset
        self.cuts: list[Cut] = []
        self._digest = self._whole_digest = blake2b(digest_size=DIGEST_BYTES)
        self._check = self._whole_check = 0
        self._begin_piece()

    def take(self, block: bytes) -> None:
        """Take the next bytes."""
        while block:
            size = min(len(block), self._ends[-1] - self.position) if self._ends else len(block)
            cut_size = self._cut_in(block, size)
            size = cut_size or size
            self._pass(block[:size])
            if cut_size:
                self._add(self.position, self.lines, self._check)
                self._begin_piece()
            if self._ends and self.position == self._ends[-1]:
                self._compare(self._ends.pop())
            block = block[size:]

    def finish(self, *, may_grow: bool) -> list[Cut]:
        """Return the pieces to read. ``may_grow``: a last line without line feed may still grow."""
        if self.position > self.whole_end and not may_grow:
            self._add(self.position, self.lines + 1, self._check)
        elif self.whole_end > self._start:
            self._add(self.whole_end, self.lines, self._whole_check)
        return [piece for piece in self.cuts if (piece.start, piece.end) not in self._skip]

    @property
    def digest(self) -> bytes:
        """The digest of everything up to the last line feed."""
        return self._whole_digest.digest()

    def _cut_in(self, block: bytes, size: int) -> int:
        if self._piece_bytes is None:
            return 0
        return block.find(b"\n", max(self._start + self._piece_bytes - self.position, 0), size) + 1

    def _pass(self, block: bytes) -> None:
        lines = block.count(b"\n")
        at = block.rfind(b"\n") + 1 if lines else 0
        if lines:
            self._update(block[:at])
            self._whole_digest, self._whole_check = self._digest.copy(), self._check
            self.lines, self.whole_end = self.lines + lines, self.position + at
        self._update(block[at:])
        self.position += len(block)

    def _update(self, block: bytes) -> None:
        self._digest.update(block)
        self._check = crc32(block, self._check)

    def _begin_piece(self) -> None:
        self._start, self._first = self.position, self.lines + 1
        self._check = self._whole_check = 0

    def _add(self, end: int, lines: int, check: int) -> None:
        count = lines + 1 - self._first
        whole = (self.whole_end, self.lines, self.digest)
        self.cuts.append(Cut(self._start, end, self._first, count, check, *whole))

    def _compare(self, end: int) -> None:
        if end == self._read_end:
            self._all_so_far_is_done()
        digest = self._digest.digest()
        for stretch in self._stretches:
            if stretch.end != end or stretch.digest != digest:
                continue
            self.known_as = self.known_as or stretch.known_as
            if stretch.start == 0:
                self._all_so_far_is_done()
            else:
                self._skip.add((stretch.start, end))

    def _all_so_far_is_done(self) -> None:
        self.cuts.clear()
        self._begin_piece()


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
