"""The layout of the list of dead letters: its order and its columns, kept by addresses and saved views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.orders import NEWEST, Order, order_of

# the columns that may be left out, as they stand beside each other; the id and the reason always stand
COLUMNS = ("status", "type", "category", "queue", "tries", "next_try", "last_failure", "dead_since")
USUAL_COLUMNS = ("status", "type", "category", "queue", "tries", "dead_since")
SORT, SHOWN = "sort", "columns"
NAMES = frozenset({SORT, SHOWN})


@dataclass(frozen=True, slots=True)
class ListLayout:
    """An order and columns. ``unknown``: the order that was asked for, if there is none of that name."""

    order: Order = NEWEST
    columns: tuple[str, ...] = USUAL_COLUMNS
    unknown: str = ""

    @classmethod
    def read(cls, values: Mapping[str, Any], status: str = "") -> ListLayout:
        """Read an address's parameters. What nobody knows is left out: it changes no row that is shown."""
        text = str(values.get(SORT, ""))
        order = order_of(text, status) if text else NEWEST
        named = ",".join(values.getlist(SHOWN)) if isinstance(values, QueryDict) else values.get(SHOWN, "")
        asked = frozenset(str(named).split(","))
        columns = tuple(name for name in COLUMNS if name in asked)
        return cls(order or NEWEST, columns or USUAL_COLUMNS, "" if order else text[:40])

    @property
    def is_usual(self) -> bool:
        return not self.parameters()

    @property
    def has_own_columns(self) -> bool:
        return self.columns != USUAL_COLUMNS

    def parameters(self, status: str | None = None) -> dict[str, str]:
        """Return what an address says of it, less what is usual; of an order that ``status`` has."""
        has_order = status is None or self.order.within in ("", status)
        sort = "" if self.order == NEWEST or not has_order else self.order.text
        columns = ",".join(self.columns) if self.has_own_columns else ""
        return {name: value for name, value in ((SORT, sort), (SHOWN, columns)) if value}

    def beside(self, matching: DeadLetterFilter) -> str:
        """Return the query string of a filter shown so."""
        own = urlencode(self.parameters(matching.status), safe=",")
        return "&".join(part for part in (matching.querystring, own) if part)

    def sorted_by(self, order: Order) -> ListLayout:
        return ListLayout(order, self.columns)


USUAL = ListLayout()
