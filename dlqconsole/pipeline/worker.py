"""What a Spark worker does with one piece of a file."""

import gzip
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import IO, cast

from dlqconsole.processing.limits import Limits

from .errors import PipelineProblem
from .hands import apart, in_place
from .sink import Sink, Tally
from .sources.lines import HEAD_BYTES, KEEP_BYTES, Line, is_blank, read_lines
from .sources.opening import opened_source
from .sources.survey import Piece
from .transform import Item, broken_file, read_item
from .work import Work

BATCH_EVENTS = 10_000
BATCH_BYTES = 16 * 1024 * 1024

# the run whose last piece, in this process, held nothing but new events
_new_to_us: set[int] = set()


def ingest_piece(work: Work, piece: Piece) -> Tally:
    """Read, handle and store the events of a piece; how many of each type ended how."""
    again = _died_before()
    tally: Tally = Counter()
    with apart(work) if again else in_place(work) as attempt:
        sink = Sink(work, attempt, trusting=work.run_id in _new_to_us and not again, again=again)
        try:
            for items, blank in _batches(piece, work.limits):
                tally += sink.store(items, blank)
        except OSError as error:
            raise PipelineProblem(f"cannot read {piece.file.path}: {error.strerror or error}") from error
        finally:
            sink.close()
    _new_to_us.clear()
    if sink.trusting:
        _new_to_us.add(work.run_id)
    return tally


def _died_before() -> bool:
    """Whether a worker has had this piece, and did not end well."""
    spark = sys.modules.get("pyspark")
    task = spark.TaskContext.get() if spark else None
    return task is not None and task.attemptNumber() > 0


def _batches(piece: Piece, limits: Limits) -> Iterator[tuple[list[Item], int]]:
    items: list[Item] = []
    blank = size = 0
    for line in _lines(piece, limits.payload_bytes):
        if piece.problem:
            items.append(broken_file(piece.file, piece.problem, line))
        elif is_blank(line):
            blank += 1
        else:
            items.append(read_item(line, piece.file, limits))
        size += len(line.content)
        if len(items) >= BATCH_EVENTS or size >= BATCH_BYTES:
            yield items, blank
            items, blank, size = [], 0, 0
    if items or blank:
        yield items, blank


def _lines(piece: Piece, wanted: int) -> Iterator[Line]:
    if piece.problem:
        yield _whole_file(piece)
        return
    with _opened(piece) as opened:
        if piece.end is not None and opened.seek(0, 2) < piece.end:
            raise PipelineProblem(f"{piece.file.path} became shorter while it was read")
        opened.seek(piece.start)
        yield from read_lines(opened, piece.start, piece.end, piece.first_line, wanted)


def _opened(piece: Piece) -> IO[bytes]:
    opened = opened_source(piece.file)
    return cast(IO[bytes], gzip.open(opened)) if piece.compressed else opened


def _whole_file(piece: Piece) -> Line:
    with opened_source(piece.file) as opened:
        content = opened.read(KEEP_BYTES + 1)
        if len(content) <= KEEP_BYTES:
            return Line(0, content, len(content))
        digest, size = sha256(content), len(content)
        while block := opened.read(HEAD_BYTES):
            digest.update(block)
            size += len(block)
    return Line(0, content[:HEAD_BYTES], size, digest.hexdigest())
