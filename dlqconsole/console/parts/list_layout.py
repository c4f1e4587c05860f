"""The layout of the list of dead letters, in addresses and saved views: its order, columns and grouping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.orders import NEWEST, Order, order_of
from dlqconsole.processing.inputs.numbers import as_id

# the columns that may be left out, as they stand beside each other; the id and the reason always stand
COLUMNS = ("status", "type", "category", "queue", "tries", "next_try", "last_failure", "dead_since")
USUAL_COLUMNS = ("status", "type", "category", "queue", "tries", "dead_since")
SORT, SHOWN, GROUPING = KEPT = ("sort", "columns", "grouping")
VIEW = "view"
NAMES = frozenset({*KEPT, VIEW})
BY_GROUP = "group"


@dataclass(frozen=True, slots=True)
class ListLayout:
    """An order and columns, or failure groups in place of both.

    ``unknown``: the order that was asked for, if there is none of that name. ``view``: the number of the
    saved view that was opened, whatever was changed since.
    """

    order: Order = NEWEST
    columns: tuple[str, ...] = USUAL_COLUMNS
    unknown: str = ""
    is_grouped: bool = False
    view: int | None = None

    @classmethod
    def read(cls, values: Mapping[str, Any], status: str = "") -> ListLayout:
        """Read an address's parameters. What nobody knows is left out: it changes no row that is shown."""
        text = str(values.get(SORT, ""))
        order = order_of(text, status) if text else NEWEST
        named = ",".join(values.getlist(SHOWN)) if isinstance(values, QueryDict) else values.get(SHOWN, "")
        names = frozenset(str(named).split(","))
        columns = tuple(name for name in COLUMNS if name in names)
        return cls(
            order or NEWEST,
            columns or USUAL_COLUMNS,
            "" if order else text[:40],
            values.get(GROUPING) == BY_GROUP,
            as_id(str(values.get(VIEW, ""))),
        )

    @property
    def has_own_columns(self) -> bool:
        return self.columns != USUAL_COLUMNS

    def parameters(self, status: str | None = None) -> dict[str, str]:
        """Return what an address says of it, less what is usual; of an order that ``status`` has."""
        has_order = status is None or self.order.within in ("", status)
        sort = "" if self.order == NEWEST or not has_order else self.order.text
        columns = ",".join(self.columns) if self.has_own_columns else ""
        values = {SORT: sort, SHOWN: columns, GROUPING: BY_GROUP if self.is_grouped else "", VIEW: self.view}
        return {name: str(value) for name, value in values.items() if value}

    def kept(self) -> dict[str, str]:
        """Return what a saved view keeps of it: ``parameters`` without the view itself."""
        return {name: value for name, value in self.parameters().items() if name in KEPT}

    def beside(self, matching: DeadLetterFilter) -> str:
        """Return the query string of a filter shown so."""
        own = urlencode(self.parameters(matching.status), safe=",")
        return "&".join(part for part in (matching.querystring, own) if part)

    def sorted_by(self, order: Order) -> ListLayout:
        return replace(self, order=order)


USUAL = ListLayout()
