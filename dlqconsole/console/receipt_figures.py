"""A receipt's figures that take counting, each within a time budget: it is asked for every second."""

from collections.abc import Callable
from typing import Any

from django.urls import reverse

from dlqconsole.console.audit_words import sentence
from dlqconsole.engine import summaries
from dlqconsole.operations import receipts
from dlqconsole.operations.canary import Became, became
from dlqconsole.operations.models import Kind, Operation, OperationItem
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
    """What became of them later; None where nothing can, or where it is not counted in time."""
    if operation.kind not in (Kind.REVIVE, Kind.RETRY) or not operation.done:
        return None
    found: Became | None = _in_time(
        lambda: became(operation.pk, operation.kind, operation.done, operation.failed), None
    )
    if found is None:
        return None
    return {
        "came_back": found.came_back,
        "stayed_away": found.stayed,
        "under_way": found.under_way,
        # rounded down: 99.9 % is not all of them
        "share": f"{found.stayed * 100 // found.decided} %" if found.decided else "",
    }


def _in_time[Found](question: Callable[[], Found], otherwise: Found) -> Found:
    """The answer, or what the page does without where it takes too long."""
    try:
        with summaries.within(summaries.BUDGET):
            return question()
    except summaries.TooSlow:
        return otherwise
