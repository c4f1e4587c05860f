"""Comparing the audit log's rows with the blocks of their seals, to name the rows that differ.

Rows are read in one pass, and a block whose hash agrees is done with; of one that does not, the marks of its
seal say which rows are gone, came, or differ, and in which column.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby

from dlqconsole.contrib.sealing import blocks
from dlqconsole.contrib.sealing.models import AuditSeal
from dlqconsole.contrib.sealing.seals import Key, key_named

# An entry says when its transaction began, which is before it was sealed, but never by so much.
LONGEST_TRANSACTION = timedelta(days=1)


def contents(seals: Sequence[AuditSeal], before: datetime | None) -> Iterator[str]:
    """Yield differences in the rows of these seals; those with the same columns are read at once.

    ``before``: when the seal before the first of them was made.
    """
    now = set(blocks.columns())
    for names, group in groupby(seals, key=lambda seal: seal.columns):
        same = list(group)
        if missing := [name for name in names if name not in now]:
            yield from (f"audit_log has no column {name} any more" for name in missing)
            continue
        rows = _Rows(blocks.lines(names, same[0].above, same[-1].up_to))
        for seal in same:
            lines = list(rows.up_to(seal.up_to))
            yield from _block(seal, lines)
            yield from _wrong_times(lines, names, before, seal.at)
            before = seal.at


class _Rows:
    """Lines in order, given out block by block."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._next = next(lines, None)

    def up_to(self, last: int) -> Iterator[bytes]:
        while self._next is not None and blocks.id_of(self._next) <= last:
            yield self._next
            self._next = next(self._lines, None)


def _block(seal: AuditSeal, lines: Sequence[bytes]) -> Iterator[str]:
    content = hashlib.sha256(b"".join(lines))
    if not hmac.compare_digest(content.digest(), bytes(seal.content)):
        key = key_named(seal.key_name)
        yield from _differences(seal, lines, key) if key else [_somewhere(seal)]


def _wrong_times(
    lines: Sequence[bytes], names: Sequence[str], after: datetime | None, until: datetime
) -> Iterator[str]:
    """Yield rows that say another time than the one in which they came."""
    place = names.index("at") if "at" in names else 0
    first, last = _text(after - LONGEST_TRANSACTION) if after else b"", _text(until + LONGEST_TRANSACTION)
    for line in lines if place else ():
        at = line.split(b"\t", place + 1)[place]
        if not first <= at <= last:
            yield (
                f"row {blocks.id_of(line):,} says {at.decode()[:19]}, but was written"
                f" {'after ' + _words(after) + ' and ' if after else ''}before {_words(until)}"
            )


def _text(moment: datetime) -> bytes:
    """Return a moment as COPY writes it in UTC: texts in the order of the moments."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}".encode()


def _words(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def _differences(seal: AuditSeal, lines: Sequence[bytes], key: Key) -> Iterator[str]:
    """Yield the rows of a block that differ, each with the difference."""
    were = blocks.by_row(bytes(seal.marks), len(seal.columns))
    are = blocks.by_row(b"".join(blocks.mark(line, key.secret) for line in lines), len(seal.columns))
    notes = [*_missing_rows(sorted(were.keys() - are.keys()))]
    notes += [(row, f"row {row:,} was put in after its block was sealed") for row in are.keys() - were.keys()]
    for row in were.keys() & are.keys():
        pairs = zip(seal.columns[1:], were[row], are[row], strict=True)
        if columns := [name for name, before, after in pairs if before != after]:
            notes.append((row, f"row {row:,} was changed: {', '.join(columns)}"))
    yield from (sentence for _row, sentence in sorted(notes)) if notes else [_somewhere(seal)]


def _missing_rows(rows: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield missing rows, neighbours in one sentence."""
    for _, group in groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0]):
        ids = [row for _, row in group]
        yield (
            ids[0],
            f"row {ids[0]:,} is gone" if len(ids) == 1 else f"rows {ids[0]:,} to {ids[-1]:,} are gone",
        )


def _somewhere(seal: AuditSeal) -> str:
    return f"rows up to {seal.up_to:,} are not those of seal {seal.number:,}"
