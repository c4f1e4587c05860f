"""The orders of the list of dead letters: each is that of an index, so that no page sorts the table.

A place in an order is the values of its columns at a row. ``id`` is the last of them, so no two rows share a
place, and what lies before and after it is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.sql import sql

type Place = tuple[Any, ...]
_LAST = "-"  # before the name of an order that begins with the last


@dataclass(frozen=True, slots=True)
class Order:
    """Some columns, as an index has them. ``within``: the only status whose rows its index has."""

    name: str
    columns: tuple[str, ...]
    last_first: bool = False
    within: str = ""

    @property
    def text(self) -> str:
        """The order as an address has it: ``type``, or ``-type`` from its end."""
        return (_LAST if self.last_first else "") + self.name

    def reversed(self) -> Order:
        return replace(self, last_first=not self.last_first)

    def first(self, rows: QuerySet[DeadLetter]) -> QuerySet[DeadLetter]:
        """Return the rows from the beginning on."""
        return rows.order_by(*(_LAST * self.last_first + column for column in self.columns))

    def after(self, rows: QuerySet[DeadLetter], place: Place) -> QuerySet[DeadLetter]:
        """Return the rows beyond a place, the nearest first."""
        columns = ", ".join(f"dlq_events.{column}" for column in self.columns)
        condition = sql("excerpts.beyond").format(
            columns=columns, than="<" if self.last_first else ">", values=", ".join(["%s"] * len(place))
        )
        # our own names of columns; the values travel beside them
        return self.first(rows.filter(RawSQL(condition, place, output_field=BooleanField())))  # noqa: S611

    def before(self, rows: QuerySet[DeadLetter], place: Place) -> QuerySet[DeadLetter]:
        """Return the rows before a place, the nearest first."""
        return self.reversed().after(rows, place)

    def place(self, row: Mapping[str, Any]) -> Place:
        return tuple(row[column] for column in self.columns)

    def written(self, place: Place) -> list[str | int]:
        """Return the place as JSON has it."""
        return [value.isoformat() if isinstance(value, datetime) else value for value in place]

    def read(self, values: list[Any]) -> Place:
        """Return the place of its written form. Raises ValueError or TypeError for anything else."""
        pairs = zip(self.columns, values, strict=True)
        return tuple(
            datetime.fromisoformat(value) if column in _MOMENTS else value for column, value in pairs
        )


_MOMENTS = frozenset({"created_at", "last_failure_at", "retry_after"})
NEWEST = Order("dead_since", ("created_at", "id"), last_first=True)
# each in the direction that people want first
ORDERS: dict[str, Order] = {
    order.name: order
    for order in (
        NEWEST,
        Order("last_failure", ("last_failure_at", "id"), last_first=True),
        Order("next_try", ("retry_after", "id"), within=DeadLetterStatus.PENDING),
        Order("tries", ("retry_count", "id"), last_first=True),
        Order("id", ("id",), last_first=True),
        Order("status", ("status", "created_at", "id")),
        Order("type", ("event_type", "created_at", "id")),
    )
}


def order_of(text: str, status: str = "") -> Order | None:
    """Return the order that an address names, if it has all rows of this status; else None."""
    order = ORDERS.get(text.removeprefix(_LAST))
    if order is None or order.within not in ("", status):
        return None
    return replace(order, last_first=text.startswith(_LAST))
