"""Pages by position, not by number: page 1,000 costs what page 1 costs, and nothing shows twice.

A position travels as a signed cursor, so that only our own links are followed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core import signing
from django.db.models import QuerySet

from dlqconsole.engine.dead_letters.excerpts import Position, lines, newer_than, newest, older_than
from dlqconsole.engine.models import DeadLetter
from dlqconsole.processing.inputs.numbers import as_id

SIZE, LARGEST = 50, 200
STALE = "That page link is no longer valid, so this is the first page."
_SALT = "dead letters page"


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins: beyond ``position``, ``seen`` rows into the list."""

    position: Position
    seen: int
    backwards: bool = False

    def signed(self) -> str:
        moment = self.position.created_at.isoformat()
        return signing.dumps([moment, self.position.id, self.seen, self.backwards], salt=_SALT)


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of the list, and the cursors to its neighbours."""

    rows: list[dict[str, Any]]
    start: int
    next: str = ""
    previous: str = ""


def read_cursor(text: str) -> Cursor | None:
    """The cursor of one of our links; None for anything else."""
    try:
        moment, number, seen, backwards = signing.loads(text, salt=_SALT)
        return Cursor(Position(datetime.fromisoformat(moment), int(number)), int(seen), bool(backwards))
    except (signing.BadSignature, ValueError, TypeError, UnicodeError):
        return None


def page_size(text: str) -> int:
    """The wished page size, held between 1 and 200."""
    wished = as_id(text)
    return SIZE if wished is None else min(max(wished, 1), LARGEST)


def page(matching: QuerySet[DeadLetter], cursor: Cursor | None, size: int) -> Page:
    """One page of the list. Looking back past the beginning gives the first page."""
    if cursor and cursor.backwards:
        rows = list(lines(newer_than(matching, cursor.position))[: size + 1])
        if len(rows) > size:
            return _page(rows[:size][::-1], max(cursor.seen - size, 1), more=True)
        cursor = None
    rows = list(lines(older_than(matching, cursor.position) if cursor else newest(matching))[: size + 1])
    return _page(rows[:size], cursor.seen if cursor else 0, more=len(rows) > size)


def _page(rows: list[dict[str, Any]], start: int, more: bool) -> Page:
    following = _at(rows[-1], start + len(rows)).signed() if more and rows else ""
    before = _at(rows[0], start, backwards=True).signed() if start and rows else ""
    return Page(rows, start, following, before)


def _at(row: dict[str, Any], seen: int, backwards: bool = False) -> Cursor:
    return Cursor(Position(row["created_at"], row["id"]), seen, backwards)
