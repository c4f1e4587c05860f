"""Pages by position, not by number: page 1,000 costs as much as page 1, and no row shows twice.

A position travels as a signed cursor, so that only our own links are followed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.db.models import QuerySet

from dlqconsole.engine.dead_letters.excerpts import lines
from dlqconsole.engine.dead_letters.orders import NEWEST, Order, Place
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.processing.inputs.numbers import as_id

SIZE, LARGEST = 50, 200
STALE = _("That page link is no longer valid, so this is the first page.")
_SALT = "dead letters page"


@dataclass(frozen=True, slots=True)
class Cursor:
    """The start of a page: beyond a place in an order, ``offset`` rows into the list."""

    order: Order
    place: Place
    offset: int
    backwards: bool = False

    def encode(self) -> str:
        parts = [self.order.text, self.order.written(self.place), self.offset, self.backwards]
        return signing.dumps(parts, salt=_SALT)


@dataclass(frozen=True, slots=True)
class LetterPage:
    """Some rows of the list, and the cursors to its neighbours."""

    rows: list[dict[str, Any]]
    start: int
    next: str = ""
    previous: str = ""


def read_cursor(text: str, order: Order = NEWEST) -> Cursor | None:
    """The cursor of one of our links in this order; None for anything else."""
    try:
        its_order, place, offset, backwards = signing.loads(text, salt=_SALT)
        if its_order != order.text:
            return None
        return Cursor(order, order.read(place), int(offset), bool(backwards))
    except (signing.BadSignature, ValueError, TypeError, UnicodeError):
        return None


def page_size(text: str) -> int:
    """The requested page size, within 1 and 200."""
    number = as_id(text)
    return SIZE if number is None else min(max(number, 1), LARGEST)


def page(
    letters: QuerySet[DeadLetter], cursor: Cursor | None, size: int, order: Order = NEWEST
) -> LetterPage:
    """Return one page of the list. A page before the beginning is the first page."""
    if cursor and cursor.backwards:
        rows = list(lines(order.before(letters, cursor.place))[: size + 1])
        if len(rows) > size:
            return _page(order, rows[:size][::-1], max(cursor.offset - size, 1), more=True)
        cursor = None
    rows = list(lines(order.after(letters, cursor.place) if cursor else order.first(letters))[: size + 1])
    return _page(order, rows[:size], cursor.offset if cursor else 0, more=len(rows) > size)


def _page(order: Order, rows: list[dict[str, Any]], start: int, more: bool) -> LetterPage:
    following = before = ""
    if more and rows:
        following = Cursor(order, order.place(rows[-1]), start + len(rows)).encode()
    if start and rows:
        before = Cursor(order, order.place(rows[0]), start, backwards=True).encode()
    return LetterPage(rows, start, following, before)
