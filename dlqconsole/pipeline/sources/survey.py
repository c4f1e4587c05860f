"""Look through a file once, before any event is read: where its lines are, and whether it is whole.

A file becomes pieces that workers read on their own. Each piece begins at a line whose number is
known, so that every event keeps its position whoever reads it. What cannot be read is one piece, too.
"""

import errno
import os
from dataclasses import dataclass, replace
from typing import IO

from .compression import NotLines, unpack
from .files import SourceFile, open_source
from .progress import DiskState, ReadProgress, Stretch
from .scan import START, Bookmark, Cut, Scan, check_of

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


@dataclass(frozen=True, slots=True)
class Request:
    """A file to read from a bookmark on: so far it is read already, if that still stands there.

    ``may_grow``: somebody may still be writing it, so only whole lines count. ``stretches``: what may be
    done of it. ``whole``: look from its start on all the same, because only that gives its progress.
    """

    file: SourceFile
    since: Bookmark = START
    may_grow: bool = False
    state: DiskState | None = None
    stretches: tuple[Stretch, ...] = ()
    whole: bool = True

    def look(self, piece_bytes: int = 0) -> FileSurvey:
        """Cut it into pieces, without the stretches that are done. Never raises for what a file may be."""
        if self.file.problem:
            return _unreadable(self.file, self.file.problem)
        try:
            with open_source(self.file) as stream:
                return _look(self, stream, piece_bytes or PIECE_BYTES)
        except NotLines as error:
            return FileSurvey([]) if self.may_grow else _unreadable(self.file, str(error))
        except OSError as error:
            return _unreadable(self.file, why_not(error))


def why_not(error: OSError) -> str:
    """A sentence for a file that the system does not let us read."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return "no permission to read it"
    if error.errno == errno.ENOENT:
        return "it vanished before it was read"
    return f"it cannot be read: {error.strerror or error}"


def _look(request: Request, file: IO[bytes], piece_bytes: int) -> FileSurvey:
    state = DiskState.of(os.fstat(file.fileno()))
    if check_of(file, request.since.checked_from, request.since.offset) != request.since.check:
        request = replace(request, since=START)
    if request.since == START:
        request = replace(request, whole=True)
    file.seek(0)
    stream, is_packed = unpack(file, request.file.name)
    if is_packed and request.may_grow:
        return FileSurvey([])
    begin = START if request.whole else request.since
    if not is_packed:
        stream.seek(begin.offset)
    # a packed file is one piece: who would read its middle must read all before it
    scan = Scan(begin, request.stretches, None if is_packed else piece_bytes, request.since)
    while block := stream.read(min(_BLOCK, piece_bytes)):
        scan.take(block)
    return _survey_of(request, scan, state, check_of(file, 0, None) if is_packed else None)


def _survey_of(request: Request, scan: Scan, state: DiskState, check: int | None) -> FileSurvey:
    file = replace(request.file, known_as=scan.known_as) if scan.known_as else request.file
    cuts = scan.finish(may_grow=request.may_grow)
    pieces = [_piece(file, piece, state, check, with_progress=request.whole) for piece in cuts]
    if not request.whole:
        return FileSurvey(pieces)
    stretch = Stretch(file.known_as or file.name, 0, scan.whole_end, scan.lines, scan.digest)
    return FileSurvey(pieces, ReadProgress(file, state, stretch, not request.may_grow))


def _piece(file: SourceFile, cut: Cut, state: DiskState, check: int | None, *, with_progress: bool) -> Piece:
    progress = None
    if with_progress and cut.whole_end > cut.start:
        known_as = file.known_as or file.name
        stretch = Stretch(known_as, cut.start, cut.whole_end, cut.whole_lines, cut.digest)
        progress = ReadProgress(file, state, stretch)
    if check is not None:
        return Piece(file, cut.start, None, cut.first_line, cut.lines, True, None, check, progress)
    return Piece(file, cut.start, cut.end, cut.first_line, cut.lines, False, None, cut.check, progress)


def _unreadable(file: SourceFile, problem: str) -> FileSurvey:
    return FileSurvey([Piece(file, 0, None, 1, 1, problem=problem)])
