"""The work of a Spark worker on one piece of a file."""

import errno
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import IO

import psycopg

from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.items import EventLine, EventOrigin, Item, item_of, unreadable
from dlqconsole.pipeline.sink.rows import store_rows
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.pipeline.sources.compression import NotLines, unpack
from dlqconsole.pipeline.sources.files import SourceFile, open_source
from dlqconsole.pipeline.sources.lines import HEAD_BYTES, KEEP_BYTES, FileLine, is_blank, read_lines
from dlqconsole.pipeline.sources.scan import ContentCheck
from dlqconsole.pipeline.sources.survey import Piece, why_not
from dlqconsole.processing.limits import Limits

from .ledger import keep_piece

_BLOCK = 1024 * 1024
# not the file's fault
_OURS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


@dataclass(slots=True)
class PieceResult:
    """The result of a piece: how many events of each type ended how, and why its end was not read."""

    tally: Tally = field(default_factory=Counter)
    problem: str = ""


def ingest_piece(work: RunWork, piece: Piece) -> Tally:
    """Read, handle and store the events of a piece; return how many of each type ended how."""
    return read_piece(work, piece).tally


def read_piece(work: RunWork, piece: Piece) -> PieceResult:
    """Do the same, and return what went wrong, too; what went well is written into the ledger."""
    origin, result = origin_of(piece.file), PieceResult()

    def item_of_row(row: FileLine | NotRead) -> Item | None:
        if isinstance(row, NotRead):
            result.problem = row.problem
            return broken_file(origin, row.problem, row.content)
        return None if is_blank(row) else read_item(row, origin, work.limits)

    def write_down(connection: psycopg.Connection) -> None:
        if piece.progress and not result.problem:
            keep_piece(connection, piece.progress, work.run_id)

    rows = rows_of(piece, work.limits.payload_bytes)
    result.tally = store_rows(work, rows, item_of_row, at_end=write_down)
    return result


@dataclass(frozen=True, slots=True)
class NotRead:
    """A file that could not be read, or not on from here: why, and its bytes where those are to be kept."""

    problem: str
    content: FileLine


def origin_of(file: SourceFile) -> EventOrigin:
    """Return the origin of a file's events."""
    return EventOrigin(file.name, file.source, file.stem, {"dlq_file": file.name})


def read_item(line: FileLine, origin: EventOrigin, limits: Limits) -> Item:
    """Read who a line is. Never raises for what a line may hold: its item then has failed already."""
    return item_of(_line(line), origin, str(line.number), {}, limits)


def broken_file(origin: EventOrigin, problem: str, line: FileLine) -> Item:
    """The one dead letter of a file that cannot be read at all; `line` holds the file's bytes."""
    return unreadable(_line(line), origin, "file", problem)


def rows_of(piece: Piece, keep_bytes: int) -> Iterator[FileLine | NotRead]:
    """The lines of a piece; of a file that cannot be read, or is another by now, the one row that says so."""
    if piece.problem:
        yield NotRead(piece.problem, _whole_file(piece))
        return
    try:
        with open_source(piece.file) as stream:
            yield from _checked_lines(piece, stream, keep_bytes)
    except NotLines as error:
        yield NotRead(str(error), FileLine(0, b"", 0))
    except OSError as error:
        if error.errno in _OURS:
            raise PipelineProblem(f"cannot read {piece.file.path}: {error.strerror}") from error
        yield NotRead(f"{why_not(error)}, from line {piece.first_line:,} on", FileLine(0, b"", 0))


def _checked_lines(piece: Piece, stream: IO[bytes], keep_bytes: int) -> Iterator[FileLine | NotRead]:
    """Read lines between two checks of their bytes: before they are read, and afterwards."""
    end = None if piece.is_compressed else piece.end
    start = 0 if piece.is_compressed else piece.start
    check = ContentCheck(stream, start, end, piece.check)
    if check.holds:
        yield from _lines(piece, stream, keep_bytes)
    if not check.still_holds():
        yield NotRead(_change_words(piece, stream), FileLine(0, b"", 0))


def _change_words(piece: Piece, stream: IO[bytes]) -> str:
    size, on = stream.seek(0, 2), f"from line {piece.first_line:,} on"
    if piece.end is not None and size < piece.end:
        return f"it became shorter while it was read, {on}: {size:,} bytes of {piece.end:,} or more"
    return f"it was changed or replaced while it was read, {on}"


def _lines(piece: Piece, file: IO[bytes], keep_bytes: int) -> Iterator[FileLine]:
    file.seek(0)
    stream = file
    if piece.is_compressed:
        stream, _ = unpack(file, piece.file.name)
        rest = piece.start
        while rest and (block := stream.read(min(rest, _BLOCK))):
            rest -= len(block)
    else:
        stream.seek(piece.start)
    yield from read_lines(stream, piece.start, piece.end, piece.first_line, keep_bytes)


def _whole_file(piece: Piece) -> FileLine:
    try:
        with open_source(piece.file) as stream:
            return _content(stream)
    except OSError:
        return FileLine(0, b"", 0)


def _content(stream: IO[bytes]) -> FileLine:
    content = stream.read(KEEP_BYTES + 1)
    if len(content) <= KEEP_BYTES:
        return FileLine(0, content, len(content))
    digest, size = sha256(content), len(content)
    while block := stream.read(HEAD_BYTES):
        digest.update(block)
        size += len(block)
    return FileLine(0, content[:HEAD_BYTES], size, digest.hexdigest())


def _line(line: FileLine) -> EventLine:
    """Return the bytes of a line; line 0 is the file as a whole."""
    position = {"dlq_line": line.number} if line.number else {}
    place = f"line {line.number}" if line.number else ""
    return EventLine(line.content, position, place, line.size, line.sha256)
