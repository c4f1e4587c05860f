"""Look through a file once, before any event is read: where its lines are, and whether it is whole.

A file becomes pieces that workers read on their own. Each piece begins at a line whose number is
known, so that every event keeps its position whoever reads it.
"""

import gzip
import zlib
from dataclasses import dataclass
from typing import IO

from dlqconsole.pipeline.errors import PipelineProblem

from .files import SourceFile
from .opening import opened_source

PIECE_BYTES = 4 * 1024 * 1024
_BLOCK = 1024 * 1024
_GZIP = b"\x1f\x8b"


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


@dataclass(frozen=True, slots=True)
class Bookmark:
    """How far a file has been read."""

    offset: int = 0
    lines: int = 0


START = Bookmark()


def survey(
    file: SourceFile, since: Bookmark = START, *, unfinished: bool = False, piece_bytes: int = PIECE_BYTES
) -> list[Piece]:
    """Cut a file into pieces. `unfinished`: somebody may still write it, so only whole lines count."""
    try:
        with opened_source(file) as opened:
            if is_gzip(opened):
                return [] if unfinished else _survey_gzip(file, opened)
            if file.name.endswith(".gz") and opened.read(1):
                return [] if unfinished else [_unreadable(file, "it is named .gz and is not gzip")]
            return _survey_plain(file, opened, since, unfinished, piece_bytes)
    except OSError as error:
        raise PipelineProblem(f"cannot read {file.path}: {error.strerror}") from error


def is_gzip(opened: IO[bytes]) -> bool:
    """Whether the file begins as gzip does, whatever its name says."""
    start = opened.read(2)
    opened.seek(0)
    return start == _GZIP


def _survey_gzip(file: SourceFile, opened: IO[bytes]) -> list[Piece]:
    """Read it to the end first: of a broken file no line must count, for who knows what is missing."""
    lines, size, last = 0, 0, b"\n"
    try:
        with gzip.open(opened) as unpacked:
            while block := unpacked.read(_BLOCK):
                lines, size, last = lines + block.count(b"\n"), size + len(block), block[-1:]
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        return [_unreadable(file, _gzip_problem(error, size))]
    lines += last != b"\n"
    return [Piece(file, 0, None, 1, lines, True)] if lines else []


def _unreadable(file: SourceFile, problem: str) -> Piece:
    return Piece(file, 0, None, 1, 1, problem=problem)


def _gzip_problem(error: Exception, size: int) -> str:
    if isinstance(error, EOFError):
        return f"truncated gzip: it ends early, {size:,} bytes into what it holds"
    return f"broken gzip: {str(error)[:200]}, {size:,} bytes into what it holds"


def _survey_plain(
    file: SourceFile, opened: IO[bytes], since: Bookmark, unfinished: bool, piece_bytes: int
) -> list[Piece]:
    pieces: list[Piece] = []
    start, first = since.offset, since.lines + 1  # of the piece that is being made
    end, newlines, after_last = since.offset, since.lines, since.offset
    opened.seek(since.offset)
    while block := opened.read(min(_BLOCK, piece_bytes)):
        cut = block.find(b"\n", max(start + piece_bytes - end, 0)) + 1
        if cut:
            line = newlines + block.count(b"\n", 0, cut) + 1
            pieces.append(Piece(file, start, end + cut, first, line - first))
            start, first = end + cut, line
        after_last = end + block.rfind(b"\n") + 1 if b"\n" in block else after_last
        newlines, end = newlines + block.count(b"\n"), end + len(block)
    if end > after_last and not unfinished:
        newlines, after_last = newlines + 1, end  # a last line without its line feed
    lines = newlines + 1 - first
    return [*pieces, Piece(file, start, after_last, first, lines)] if lines else pieces
