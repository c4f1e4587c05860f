"""The work of a Spark worker on one piece of a file."""

from collections import Counter
from dataclasses import dataclass, field

import psycopg

from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.items import Item
from dlqconsole.pipeline.sink.rows import store_rows
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.pipeline.sources.lines import FileLine, is_blank
from dlqconsole.pipeline.sources.survey import Piece

from .ledger import keep_piece
from .reading import NotRead, broken_file, origin_of, read_item, rows_of


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
