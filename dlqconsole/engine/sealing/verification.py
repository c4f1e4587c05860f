"""Whether the audit log is what it was when it was sealed; and which rows are not, and in what.

Only what was sealed is judged. Rows are read in one pass, and a block whose hash agrees is done with; of one
that does not, the marks of its seal say which rows are gone, came, or differ, and in which column.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby

from django.db import DatabaseError, transaction
from django.db.models import Max

from dlqconsole.engine.database.said import said
from dlqconsole.engine.models import AuditSeal
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.sealing import blocks, tables
from dlqconsole.engine.sealing.keys import Key, key_named
from dlqconsole.engine.sealing.seals import BEFORE_THE_FIRST, hash_of, head, last_seal
from dlqconsole.engine.sql import sql

SEALS_AT_ONCE = 500
# An entry says when its transaction began, which is before it was sealed, but never by so much.
LONGEST_TRANSACTION = timedelta(days=1)


@dataclass(slots=True)
class Verdict:
    """What was found. ``problems``: a sentence each, in the order of the rows; empty when all is well."""

    rows: int = 0
    seals: int = 0
    last: AuditSeal | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def head(self) -> str:
        """The newest seal, for somebody outside to note; empty where nothing was sealed."""
        return head(self.last) if self.last else ""


@dataclass(frozen=True, slots=True)
class Unsealed:
    """The rows that came after the newest seal. ``since``: the time of the oldest, if there is one."""

    rows: int
    since: datetime | None
    seconds: float


@transaction.atomic
def verify(noted: str = "") -> Verdict:
    """Judge the tables, and compare every sealed row with its seal.

    ``noted``: a head of before, which must still be there. Raises DatabaseError where nothing is wrong with
    the tables and they cannot be read all the same.
    """
    verdict = Verdict(problems=tables.problems())
    try:
        with transaction.atomic():
            _compare(verdict, noted)
    except DatabaseError as error:
        if not verdict.problems:
            raise
        verdict.problems.append(f"more cannot be compared: {said(error)}")
    verdict.problems = list(dict.fromkeys(verdict.problems))
    return verdict


def _compare(verdict: Verdict, noted: str) -> None:
    chain = _Chain()
    # what is sealed meanwhile is for the next time
    newest = AuditSeal.objects.aggregate(Max("number"))["number__max"] or 0
    while seals := _page(chain.number, newest):
        before = chain.at
        for made in seals:
            verdict.problems += chain.problems(made)
        verdict.problems += _contents(seals, before)
        verdict.seals += len(seals)
        verdict.rows += sum(made.count for made in seals)
        verdict.last = seals[-1]
    verdict.problems += _never_given()
    verdict.problems += _noted(noted)


def unsealed() -> Unsealed:
    """What came after the newest seal; of more than some thousands, the first."""
    last = last_seal()
    [found] = fetch_dicts(sql("sealing.unsealed"), {"above": last.up_to if last else BEFORE_THE_FIRST})
    seconds = (found["now"] - found["since"]).total_seconds() if found["since"] else 0.0
    return Unsealed(found["rows"], found["since"], seconds)


class _Chain:
    """Walks from seal to seal."""

    def __init__(self) -> None:
        self.number, self.up_to, self.hash = 0, BEFORE_THE_FIRST, b""
        self.at: datetime | None = None

    def problems(self, made: AuditSeal) -> Iterator[str]:
        """What is wrong with this seal itself, and how it follows the one before."""
        if made.number != self.number + 1:
            yield f"seals {self.number + 1:,} to {made.number - 1:,} are gone"
        elif made.above != self.up_to or not hmac.compare_digest(bytes(made.previous), self.hash):
            yield f"seal {made.number:,} does not follow the one before it"
        key = key_named(made.key_name)
        if key is None:
            yield f"seal {made.number:,} is forged, or made with a key that DLQ_AUDIT_KEY does not have"
        elif not hmac.compare_digest(bytes(made.hash), hash_of(made, key)):
            yield f"seal {made.number:,} was changed, or forged"
        self.number, self.up_to, self.hash = made.number, made.up_to, bytes(made.hash)
        self.at = made.at


def _page(after: int, newest: int) -> list[AuditSeal]:
    seals = AuditSeal.objects.filter(number__gt=after, number__lte=newest).order_by("number")
    return list(seals[:SEALS_AT_ONCE])


def _contents(seals: Sequence[AuditSeal], before: datetime | None) -> Iterator[str]:
    """What differs in the rows of these seals; those with the same columns are read at once.

    ``before``: when the seal before the first of them was made.
    """
    now = set(blocks.columns())
    for names, group in groupby(seals, key=lambda made: made.columns):
        same = list(group)
        if missing := [name for name in names if name not in now]:
            yield from (f"audit_log has no column {name} any more" for name in missing)
            continue
        rows = _Rows(blocks.lines(names, same[0].above, same[-1].up_to))
        for made in same:
            found = list(rows.up_to(made.up_to))
            yield from _block(made, found)
            yield from _misdated(found, names, before, made.at)
            before = made.at


class _Rows:
    """Lines in order, given out block by block."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._next = next(lines, None)

    def up_to(self, last: int) -> Iterator[bytes]:
        while self._next is not None and blocks.id_of(self._next) <= last:
            yield self._next
            self._next = next(self._lines, None)


def _block(made: AuditSeal, found: Sequence[bytes]) -> Iterator[str]:
    content = hashlib.sha256(b"".join(found))
    if not hmac.compare_digest(content.digest(), bytes(made.content)):
        key = key_named(made.key_name)
        yield from _differences(made, found, key) if key else [_somewhere(made)]


def _misdated(
    lines: Sequence[bytes], names: Sequence[str], after: datetime | None, sealed: datetime
) -> Iterator[str]:
    """Rows that say another time than the one in which they came."""
    place = names.index("at") if "at" in names else 0
    first, last = _text(after - LONGEST_TRANSACTION) if after else b"", _text(sealed + LONGEST_TRANSACTION)
    for line in lines if place else ():
        at = line.split(b"\t", place + 1)[place]
        if not first <= at <= last:
            yield (
                f"row {blocks.id_of(line):,} says {at.decode()[:19]}, but was written"
                f" {'after ' + _said(after) + ' and ' if after else ''}before {_said(sealed)}"
            )


def _text(moment: datetime) -> bytes:
    """As COPY writes it in UTC: texts in the order of the moments."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}".encode()


def _said(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def _differences(made: AuditSeal, lines: Sequence[bytes], key: Key) -> Iterator[str]:
    """The rows of a block that are not what they were, each with what differs."""
    were = blocks.by_row(bytes(made.marks), len(made.columns))
    are = blocks.by_row(b"".join(blocks.mark(line, key.secret) for line in lines), len(made.columns))
    said = [*_gone(sorted(were.keys() - are.keys()))]
    said += [(row, f"row {row:,} was put in after its block was sealed") for row in are.keys() - were.keys()]
    for row in were.keys() & are.keys():
        pairs = zip(made.columns[1:], were[row], are[row], strict=True)
        if changed := [name for name, before, after in pairs if before != after]:
            said.append((row, f"row {row:,} was changed: {', '.join(changed)}"))
    yield from (sentence for _row, sentence in sorted(said)) if said else [_somewhere(made)]


def _gone(rows: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Neighbours in one sentence."""
    for _, group in groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0]):
        ids = [row for _, row in group]
        yield (
            ids[0],
            f"row {ids[0]:,} is gone" if len(ids) == 1 else f"rows {ids[0]:,} to {ids[-1]:,} are gone",
        )


def _somewhere(made: AuditSeal) -> str:
    return f"rows up to {made.up_to:,} are not those of seal {made.number:,}"


def _never_given() -> Iterator[str]:
    """Rows that are in no block and never will be; the first of them."""
    for row in fetch_column(sql("sealing.never_given"), {}):
        yield f"row {row:,} was put in by hand: its number was never given out"


def _noted(noted: str) -> Iterator[str]:
    """Whether the chain still holds a head that was noted before: cut-off ends and old backups do not."""
    if not noted:
        return
    number, _colon, digest = noted.partition(":")
    made = AuditSeal.objects.filter(number=int(number)).first()
    if made is None:
        yield f"seal {number} was there, and is gone: the end was cut off, or this is an older backup"
    elif bytes(made.hash).hex() != digest:
        yield f"seal {number} is another one than was noted: the chain was made anew"
