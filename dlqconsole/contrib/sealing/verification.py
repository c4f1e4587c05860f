"""Verifying the audit log against its seals: which rows differ, and how.

Only what was sealed is judged: the tables, the chain of seals, and the rows of each (``contents``).
"""

import hmac
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.db import DatabaseError
from django.db.models import Max

from dlqconsole.contrib.sealing import tables
from dlqconsole.contrib.sealing.contents import contents
from dlqconsole.contrib.sealing.models import AuditSeal
from dlqconsole.contrib.sealing.seals import BEFORE_THE_FIRST, hash_of, head, key_named, last_seal
from dlqconsole.contrib.sealing.sql import sql
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.database.error_line import error_line
from dlqconsole.hosting.database import transaction

SEALS_AT_ONCE = 500


@dataclass(slots=True)
class Verdict:
    """The result. ``problems``: a sentence each, in the order of the rows; empty when all is well."""

    rows: int = 0
    seals: int = 0
    last: AuditSeal | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def head(self) -> str:
        """The newest seal, for somebody outside to note; empty where nothing was sealed."""
        return head(self.last) if self.last else ""


@dataclass(frozen=True, slots=True)
class UnsealedRows:
    """The rows that came after the newest seal. ``since``: the time of the oldest, if there is one."""

    rows: int
    since: datetime | None
    seconds: float


@transaction.atomic
def verify(known_head: str = "") -> Verdict:
    """Judge the tables, and compare every sealed row with its seal.

    ``known_head``: an earlier head, which must still be there. Raises DatabaseError where nothing is wrong
    with the tables and they cannot be read all the same.
    """
    verdict = Verdict(problems=tables.problems())
    try:
        with transaction.atomic():
            _compare(verdict, known_head)
    except DatabaseError as error:
        if not verdict.problems:
            raise
        verdict.problems.append(f"more cannot be compared: {error_line(error)}")
    verdict.problems = list(dict.fromkeys(verdict.problems))
    return verdict


def _compare(verdict: Verdict, known_head: str) -> None:
    chain = _Chain()
    # newer seals are for the next time
    newest = AuditSeal.objects.aggregate(Max("number"))["number__max"] or 0
    while seals := _page(chain.number, newest):
        before = chain.at
        for seal in seals:
            verdict.problems += chain.problems(seal)
        verdict.problems += contents(seals, before)
        verdict.seals += len(seals)
        verdict.rows += sum(seal.count for seal in seals)
        verdict.last = seals[-1]
    verdict.problems += _never_given()
    verdict.problems += _check_head(known_head)


def count_unsealed() -> UnsealedRows:
    """Count the rows after the newest seal; at most some thousands."""
    last = last_seal()
    [row] = fetch_dicts(sql("sealing.unsealed"), {"above": last.up_to if last else BEFORE_THE_FIRST})
    seconds = (row["now"] - row["since"]).total_seconds() if row["since"] else 0.0
    return UnsealedRows(row["rows"], row["since"], seconds)


class _Chain:
    """Walks from seal to seal."""

    def __init__(self) -> None:
        self.number, self.up_to, self.hash = 0, BEFORE_THE_FIRST, b""
        self.at: datetime | None = None

    def problems(self, seal: AuditSeal) -> Iterator[str]:
        """Yield the faults of this seal itself, and of its link to the one before."""
        if seal.number != self.number + 1:
            yield f"seals {self.number + 1:,} to {seal.number - 1:,} are gone"
        elif seal.above != self.up_to or not hmac.compare_digest(bytes(seal.previous), self.hash):
            yield f"seal {seal.number:,} does not follow the one before it"
        key = key_named(seal.key_name)
        if key is None:
            yield f"seal {seal.number:,} is forged, or made with a key that DLQ_AUDIT_KEY does not have"
        elif not hmac.compare_digest(bytes(seal.hash), hash_of(seal, key)):
            yield f"seal {seal.number:,} was changed, or forged"
        self.number, self.up_to, self.hash = seal.number, seal.up_to, bytes(seal.hash)
        self.at = seal.at


def _page(after: int, newest: int) -> list[AuditSeal]:
    seals = AuditSeal.objects.filter(number__gt=after, number__lte=newest).order_by("number")
    return list(seals[:SEALS_AT_ONCE])


def _never_given() -> Iterator[str]:
    """Yield rows that are in no block and never will be; the first of them."""
    for row in fetch_column(sql("sealing.never_given"), {}):
        yield f"row {row:,} was put in by hand: its number was never given out"


def _check_head(known_head: str) -> Iterator[str]:
    """Check that the chain holds a noted head: cut-off ends and old backups do not."""
    if not known_head:
        return
    number, _colon, digest = known_head.partition(":")
    seal = AuditSeal.objects.filter(number=int(number)).first()
    if seal is None:
        yield f"seal {number} was there, and is gone: the end was cut off, or this is an older backup"
    elif bytes(seal.hash).hex() != digest:
        yield f"seal {number} is another one than was noted: the chain was made anew"
