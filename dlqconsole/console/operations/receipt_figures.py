"""A receipt's figures that take counting, each within a time budget: it is asked for every second."""

from collections.abc import Callable
from typing import Any

from django.urls import reverse

from dlqconsole.console.audit.words import sentence
from dlqconsole.engine.counts import summaries
from dlqconsole.operations import receipts
from dlqconsole.operations.fate import Fate
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.receipts import Outcome


def receipt_figures(operation: Operation) -> dict[str, Any]:
    """``outcomes`` that have a reason, ``later_arrivals`` that match by now, the ``fate`` of what is done."""
    late: int = _in_time(lambda: receipts.later_arrivals(operation), 0)
    outcomes: list[Outcome] = _in_time(lambda: receipts.outcomes(operation.pk), [])
    return {
        "outcomes": [each for each in outcomes if each.reason],
        "later_arrivals": late,
        "more_arrivals": late >= receipts.ARRIVALS_LIMIT,
        "fate": _fate(operation),
    }


def item_rows(found: list[OperationItem]) -> list[OperationItem]:
    """Items with the address of their dead letters."""
    for item in found:
        item.url = reverse("dead_letter", args=[item.dead_letter_id])  # type: ignore[attr-defined]
    return found


def timeline(operation_id: int) -> list[dict[str, Any]]:
    """What happened to the operation, newest first: ``at``, ``text``."""
    return [{"at": entry.at, "text": sentence(entry)} for entry in receipts.timeline(operation_id)]


def _fate(operation: Operation) -> dict[str, Any] | None:
    """What became of what was revived; None where nothing can, or where it is not known in time."""
    found: Fate | None = _in_time(lambda: receipts.fate(operation), None) if operation.done else None
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
