"""Pages by position, not by number: page 1,000 costs as much as page 1, and no row shows twice.

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
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.processing.inputs.numbers import as_id

SIZE, LARGEST = 50, 200
STALE = _("That page link is no longer valid, so this is the first page.")
_SALT = "dead letters page"


@dataclass(frozen=True, slots=True)
class Cursor:
    """The start of a page: beyond ``position``, ``offset`` rows into the list."""

    position: Position
    offset: int
    backwards: bool = False

    def encode(self) -> str:
        moment = self.position.created_at.isoformat()
        return signing.dumps([moment, self.position.id, self.offset, self.backwards], salt=_SALT)


@dataclass(frozen=True, slots=True)
class LetterPage:
    """Some rows of the list, and the cursors to its neighbours."""

    rows: list[dict[str, Any]]
    start: int
    next: str = ""
    previous: str = ""


def read_cursor(text: str) -> Cursor | None:
    """The cursor of one of our links; None for anything else."""
    try:
        moment, number, offset, backwards = signing.loads(text, salt=_SALT)
        return Cursor(Position(datetime.fromisoformat(moment), int(number)), int(offset), bool(backwards))
    except (signing.BadSignature, ValueError, TypeError, UnicodeError):
        return None


def page_size(text: str) -> int:
    """The requested page size, within 1 and 200."""
    number = as_id(text)
    return SIZE if number is None else min(max(number, 1), LARGEST)


def page(letters: QuerySet[DeadLetter], cursor: Cursor | None, size: int) -> LetterPage:
    """Return one page of the list. A page before the beginning is the first page."""
    if cursor and cursor.backwards:
        rows = list(lines(newer_than(letters, cursor.position))[: size + 1])
        if len(rows) > size:
            return _page(rows[:size][::-1], max(cursor.offset - size, 1), more=True)
        cursor = None
    rows = list(lines(older_than(letters, cursor.position) if cursor else newest(letters))[: size + 1])
    return _page(rows[:size], cursor.offset if cursor else 0, more=len(rows) > size)


def _page(rows: list[dict[str, Any]], start: int, more: bool) -> LetterPage:
    following = _at(rows[-1], start + len(rows)).encode() if more and rows else ""
    before = _at(rows[0], start, backwards=True).encode() if start and rows else ""
    return LetterPage(rows, start, following, before)


def _at(row: dict[str, Any], offset: int, backwards: bool = False) -> Cursor:
    return Cursor(Position(row["created_at"], row["id"]), offset, backwards)
