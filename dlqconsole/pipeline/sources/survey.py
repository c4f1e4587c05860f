"""Look through a file once, before any event is read: where its lines are, and whether it is whole.

A file becomes pieces that workers read on their own. Each piece begins at a line whose number is
known, so that every event keeps its position whoever reads it. What cannot be read is one piece, too.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO

from .checking import check_of
from .compression import NotLines, unpacked
from .files import SourceFile
from .opening import opened_source
from .read_progress import ReadProgress, State, Stretch
from .scan import START, Bookmark, Cut, Scan

PIECE_BYTES = 4 * 1024 * 1024
_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a file, or the whole of one. `problem`: why no line of the file can be read."""

    file: SourceFile
    start: int
    # None: to the end
    end: int | None
    first_line: int
    lines: int
    compressed: bool = False
    problem: str | None = None
    # the checksum of its bytes as they stand on the disk, of all of them in a packed file
    check: int = 0
    # what is done once it is read
    progress: ReadProgress | None = None

    @property
    def is_short(self) -> bool:
        """Whether it is less than what a file is cut into."""
        return self.end is not None and self.end - self.start < PIECE_BYTES


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look through a file has found: the pieces to read, and what is done when all are read."""

    pieces: list[Piece]
    progress: ReadProgress | None = None


def survey(
    file: SourceFile, since: Bookmark = START, *, unfinished: bool = False, piece_bytes: int = PIECE_BYTES
) -> list[Piece]:
    """Cut a file into pieces. `unfinished`: somebody may still write it, so only whole lines count."""
    return look_through(file, (), since, unfinished=unfinished, piece_bytes=piece_bytes).pieces


def look_through(
    file: SourceFile,
    done: Sequence[Stretch],
    since: Bookmark = START,
    *,
    unfinished: bool = False,
    whole: bool = True,
    piece_bytes: int = PIECE_BYTES,
) -> Looked:
    """The same, leaving out the stretches that are done. Never raises for what a file may be: see Piece.

    ``since``: so far it is read already, if that still stands there. ``whole``: look from its start on all
    the same, because only that gives its progress.
    """
    if file.problem:
        return _unreadable(file, file.problem)
    asked = _Request(file, done, since, unfinished, whole or since == START, piece_bytes)
    try:
        with opened_source(file) as opened:
            return _look(asked, opened)
    except NotLines as error:
        return Looked([]) if unfinished else _unreadable(file, str(error))
    except OSError as error:
        return _unreadable(file, why_not(error))


def why_not(error: OSError) -> str:
    """A sentence for a file that the system does not let us read."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return "no permission to read it"
    if error.errno == errno.ENOENT:
        return "it vanished before it was read"
    return f"it cannot be read: {error.strerror or error}"


@dataclass(frozen=True, slots=True)
class _Request:
    file: SourceFile
    done: Sequence[Stretch]
    since: Bookmark
    unfinished: bool
    whole: bool
    piece_bytes: int


def _look(asked: _Request, opened: IO[bytes]) -> Looked:
    state = State.of(os.fstat(opened.fileno()))
    if check_of(opened, asked.since.checked_from, asked.since.offset) != asked.since.check:
        asked = replace(asked, since=START, whole=True)
    opened.seek(0)
    stream, packed = unpacked(opened, asked.file.name)
    if packed and asked.unfinished:
        return Looked([])
    begin = START if asked.whole else asked.since
    if not packed:
        stream.seek(begin.offset)
    # a packed file is one piece: who would read its middle must read all before it
    scan = Scan(begin, asked.done, None if packed else asked.piece_bytes, asked.since)
    for block in _blocks(stream, asked.piece_bytes):
        scan.take(block)
    return _found(asked, scan, state, check_of(opened, 0, None) if packed else None)


def _found(asked: _Request, scan: Scan, state: State, packed: int | None) -> Looked:
    file = replace(asked.file, known_as=scan.known_as) if scan.known_as else asked.file
    cuts = scan.finish(unfinished=asked.unfinished)
    pieces = [_piece(file, cut, state, packed, marked=asked.whole) for cut in cuts]
    if not asked.whole:
        return Looked(pieces)
    stretch = Stretch(file.known_as or file.name, 0, scan.whole_end, scan.lines, scan.digest)
    return Looked(pieces, ReadProgress(file, state, stretch, not asked.unfinished))


def _blocks(stream: IO[bytes], piece_bytes: int) -> Iterator[bytes]:
    while block := stream.read(min(_BLOCK, piece_bytes)):
        yield block


def _piece(file: SourceFile, cut: Cut, state: State, packed: int | None, *, marked: bool) -> Piece:
    progress = None
    if marked and cut.whole_end > cut.start:
        known_as = file.known_as or file.name
        progress = ReadProgress(
            file, state, Stretch(known_as, cut.start, cut.whole_end, cut.whole_lines, cut.digest)
        )
    if packed is not None:
        return Piece(file, cut.start, None, cut.first_line, cut.lines, True, None, packed, progress)
    return Piece(file, cut.start, cut.end, cut.first_line, cut.lines, False, None, cut.check, progress)


def _unreadable(file: SourceFile, problem: str) -> Looked:
    return Looked([Piece(file, 0, None, 1, 1, problem=problem)])
