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
from .compression import NotLines, unpack
from .files import SourceFile
from .opening import open_source
from .read_progress import DiskState, ReadProgress, Stretch
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
    is_compressed: bool = False
    problem: str | None = None
    # the checksum of its bytes as they stand on the disk, of all of them in a packed file
    check: int = 0
    # the progress once it is read
    progress: ReadProgress | None = None

    @property
    def is_short(self) -> bool:
        """Tell whether it is less than what a file is cut into."""
        return self.end is not None and self.end - self.start < PIECE_BYTES


@dataclass(frozen=True, slots=True)
class FileSurvey:
    """The result of a look through a file: the pieces to read, and what is done when all are read."""

    pieces: list[Piece]
    progress: ReadProgress | None = None


def survey(
    file: SourceFile, since: Bookmark = START, *, may_grow: bool = False, piece_bytes: int = PIECE_BYTES
) -> list[Piece]:
    """Cut a file into pieces. `may_grow`: somebody may still write it, so only whole lines count."""
    return look_through(file, (), since, may_grow=may_grow, piece_bytes=piece_bytes).pieces


def look_through(
    file: SourceFile,
    stretches: Sequence[Stretch],
    since: Bookmark = START,
    *,
    may_grow: bool = False,
    whole: bool = True,
    piece_bytes: int = PIECE_BYTES,
) -> FileSurvey:
    """The same, leaving out the stretches that are done. Never raises for what a file may be: see Piece.

    ``since``: so far it is read already, if that still stands there. ``whole``: look from its start on all
    the same, because only that gives its progress.
    """
    if file.problem:
        return _unreadable(file, file.problem)
    request = _Request(file, stretches, since, may_grow, whole or since == START, piece_bytes)
    try:
        with open_source(file) as stream:
            return _look(request, stream)
    except NotLines as error:
        return FileSurvey([]) if may_grow else _unreadable(file, str(error))
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
    stretches: Sequence[Stretch]
    since: Bookmark
    may_grow: bool
    whole: bool
    piece_bytes: int


def _look(request: _Request, file: IO[bytes]) -> FileSurvey:
    state = DiskState.of(os.fstat(file.fileno()))
    if check_of(file, request.since.checked_from, request.since.offset) != request.since.check:
        request = replace(request, since=START, whole=True)
    file.seek(0)
    stream, is_packed = unpack(file, request.file.name)
    if is_packed and request.may_grow:
        return FileSurvey([])
    begin = START if request.whole else request.since
    if not is_packed:
        stream.seek(begin.offset)
    # a packed file is one piece: who would read its middle must read all before it
    scan = Scan(begin, request.stretches, None if is_packed else request.piece_bytes, request.since)
    for block in _blocks(stream, request.piece_bytes):
        scan.take(block)
    return _survey_of(request, scan, state, check_of(file, 0, None) if is_packed else None)


def _survey_of(request: _Request, scan: Scan, state: DiskState, check: int | None) -> FileSurvey:
    file = replace(request.file, known_as=scan.known_as) if scan.known_as else request.file
    cuts = scan.finish(may_grow=request.may_grow)
    pieces = [_piece(file, piece, state, check, with_progress=request.whole) for piece in cuts]
    if not request.whole:
        return FileSurvey(pieces)
    stretch = Stretch(file.known_as or file.name, 0, scan.whole_end, scan.lines, scan.digest)
    return FileSurvey(pieces, ReadProgress(file, state, stretch, not request.may_grow))


def _blocks(stream: IO[bytes], piece_bytes: int) -> Iterator[bytes]:
    while block := stream.read(min(_BLOCK, piece_bytes)):
        yield block


def _piece(file: SourceFile, part: Cut, state: DiskState, check: int | None, *, with_progress: bool) -> Piece:
    progress = None
    if with_progress and part.whole_end > part.start:
        known_as = file.known_as or file.name
        progress = ReadProgress(
            file, state, Stretch(known_as, part.start, part.whole_end, part.whole_lines, part.digest)
        )
    if check is not None:
        return Piece(file, part.start, None, part.first_line, part.lines, True, None, check, progress)
    return Piece(file, part.start, part.end, part.first_line, part.lines, False, None, part.check, progress)


def _unreadable(file: SourceFile, problem: str) -> FileSurvey:
    return FileSurvey([Piece(file, 0, None, 1, 1, problem=problem)])
