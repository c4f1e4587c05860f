"""A receipt's counted figures, each within a time budget: the page polls every second."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from dlqconsole.console.audit.words import sentence
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.operations import kinds
from dlqconsole.operations.items import Items
from dlqconsole.operations.models import ItemStatus, Operation
from dlqconsole.operations.outcomes import MoveOutcomes
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.receipts.receipt import ReasonCount


def receipt_figures(operation: Operation) -> dict[str, Any]:
    """``outcomes`` that have a reason, the ``fate`` of revived items.

    Within the scope of the items (``visibility.within``). The fate is counted for all items, or not at all.
    """
    return {
        "outcomes": _outcomes(operation),
        "fate": None if current_access().is_limited else _fate(operation),
    }


def late_figures(operation: Operation) -> dict[str, Any]:
    """``later_arrivals`` that match by now: no items, so within the scope of who asks."""
    late: int = _in_time(lambda: receipt.later_arrivals(operation), 0)
    return {"later_arrivals": late, "more_arrivals": late >= receipt.ARRIVALS_LIMIT}


def _outcomes(operation: Operation) -> list[ReasonCount]:
    """The outcomes with a reason: while nothing is settled no item has one, and no query is needed."""
    if not operation.has_items or not (operation.done or operation.skipped or operation.failed):
        return []
    if kinds.shown(operation.kind).reasons_on_card:
        return []
    outcomes: list[ReasonCount] = _in_time(lambda: receipt.outcomes(operation.pk, _of(operation)), [])
    return [each for each in outcomes if each.reason]


@dataclass(frozen=True, slots=True)
class ItemsPage:
    """Some items with the addresses of their dead letters and messages, and the start of the next page."""

    rows: list[Any]
    next: int | None


def items_page(operation: Operation, after: int, status: str, size: int) -> ItemsPage:
    """The items after the key ``after``, all or those of one status."""
    of = _of(operation)
    if not operation.has_items:
        return ItemsPage([], None)
    items = receipt.items(operation.pk, after=after, status=status or None, limit=size + 1, of=of)
    rows = [_with_addresses(operation, item) for item in items[:size]]
    return ItemsPage(rows, getattr(rows[-1], of.key) if len(items) > size else None)


def _with_addresses(operation: Operation, item: Any) -> Any:
    letter = item.dead_letter_id
    item.url = reverse("dlq:dead_letter", args=[letter]) if letter else ""
    stands = operation.queue and item.status == ItemStatus.REMAINING
    item.message_url = reverse("dlq:queue_message", args=[operation.queue, item.message_id]) if stands else ""
    return item


def _of(operation: Operation) -> Items:
    return kinds.shown(operation.kind).items


def timeline(operation_id: int) -> list[dict[str, Any]]:
    """The events of the operation, newest first: ``at``, ``text``."""
    return [{"at": entry.at, "text": sentence(entry)} for entry in receipt.timeline(operation_id)]


def _fate(operation: Operation) -> dict[str, Any] | None:
    """The fate of revived items; None if there are none, or if it cannot be counted in time."""
    fate: MoveOutcomes | None = (
        _in_time(lambda: receipt.move_outcomes(operation), None) if operation.done else None
    )
    if fate is None:
        return None
    total = fate.decided
    # rounded down: 99.9 % is not all of them
    share = f"{fate.stayed_away * 100 // total} %" if total else ""
    return {
        "came_back": fate.came_back,
        "stayed_away": fate.stayed_away,
        "under_way": fate.under_way,
        "pulled_back": fate.pulled_back,
        "share": share,
    }


def _in_time[Answer](query: Callable[[], Answer], default: Answer) -> Answer:
    """The answer, or the default if it takes too long."""
    try:
        with summaries.time_budget(summaries.BUDGET):
            return query()
    except summaries.TooSlow:
        return default
