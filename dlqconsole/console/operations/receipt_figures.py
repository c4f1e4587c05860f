"""A receipt's figures that take counting, each within a time budget: it is asked for every second."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from dlqconsole.console.audit.words import sentence
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import kinds, receipts
from dlqconsole.operations.items import Items
from dlqconsole.operations.models import ItemStatus, Operation
from dlqconsole.operations.move_outcomes import MoveOutcomes
from dlqconsole.operations.receipts import ReasonCount


def receipt_figures(operation: Operation, reach: Reach) -> dict[str, Any]:
    """``outcomes`` that have a reason, ``later_arrivals`` that match by now, the ``fate`` of what is done.

    ``reach``: what the items are limited to. The fate is counted for all of them, or not told.
    """
    late: int = _in_time(lambda: receipts.later_arrivals(operation, reach), 0)
    return {
        "outcomes": _outcomes(operation, reach),
        "later_arrivals": late,
        "more_arrivals": late >= receipts.ARRIVALS_LIMIT,
        "fate": None if reach.is_limited else _fate(operation),
    }


def _outcomes(operation: Operation, reach: Reach) -> list[ReasonCount]:
    """Those that have a reason: while nothing is settled no item has, and half a million are not asked."""
    if not operation.has_items or not (operation.done or operation.skipped or operation.failed):
        return []
    found: list[ReasonCount] = _in_time(lambda: receipts.outcomes(operation.pk, reach, _of(operation)), [])
    return [each for each in found if each.reason]


@dataclass(frozen=True, slots=True)
class ItemsPage:
    """Some items with the addresses of their dead letters and messages, and where the next page begins."""

    rows: list[Any]
    next: int | None


def items_page(operation: Operation, reach: Reach, after: int, status: str, size: int) -> ItemsPage:
    """The items after the one called ``after``, all or those of one status."""
    of = _of(operation)
    if not operation.has_items:
        return ItemsPage([], None)
    found = receipts.items(operation.pk, reach, after=after, status=status or None, limit=size + 1, of=of)
    rows = [_with_addresses(operation, item) for item in found[:size]]
    return ItemsPage(rows, getattr(rows[-1], of.key) if len(found) > size else None)


def _with_addresses(operation: Operation, item: Any) -> Any:
    letter = item.dead_letter_id
    item.url = reverse("dead_letter", args=[letter]) if letter else ""
    stands = operation.queue and item.status == ItemStatus.REMAINING
    item.message_url = reverse("queue_message", args=[operation.queue, item.message_id]) if stands else ""
    return item


def _of(operation: Operation) -> Items:
    return kinds.shown(operation.kind).items


def timeline(operation_id: int) -> list[dict[str, Any]]:
    """What happened to the operation, newest first: ``at``, ``text``."""
    return [{"at": entry.at, "text": sentence(entry)} for entry in receipts.timeline(operation_id)]


def _fate(operation: Operation) -> dict[str, Any] | None:
    """What became of what was revived; None where nothing can, or where it is not known in time."""
    found: MoveOutcomes | None = (
        _in_time(lambda: receipts.move_outcomes(operation), None) if operation.done else None
    )
    if found is None:
        return None
    handled = found.decided
    # rounded down: 99.9 % is not all of them
    share = f"{found.stayed_away * 100 // handled} %" if handled else ""
    return {
        "came_back": found.came_back,
        "stayed_away": found.stayed_away,
        "under_way": found.under_way,
        "pulled_back": found.pulled_back,
        "share": share,
    }


def _in_time[Found](question: Callable[[], Found], otherwise: Found) -> Found:
    """The answer, or what the page does without where it takes too long."""
    try:
        with summaries.time_budget(summaries.BUDGET):
            return question()
    except summaries.TooSlow:
        return otherwise
