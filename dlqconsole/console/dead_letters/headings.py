"""The headings of the list that sort it."""

from dlqconsole.console.parts.shown_filter import ShownFilter, list_url
from dlqconsole.console.parts.sorting import Heading, heading
from dlqconsole.engine.dead_letters.orders import ORDERS, order_of
from dlqconsole.engine.gate import Shown


def headings(search: ShownFilter) -> dict[str, Heading]:
    """A link for each column that has an order here, by the order's name."""

    def url_of(text: str) -> str:
        order = order_of(text, search.criteria.status)
        assert order  # noqa: S101 - of those below
        return list_url(Shown(search.layout.sorted_by(order).beside(search.criteria)))

    current = search.layout.order.text
    return {
        name: heading(name, order.text, current, url_of)
        for name, order in ORDERS.items()
        if order.within in ("", search.criteria.status)
    }
