"""A receipt's figures that take counting, each within a time budget: it is asked for every second."""

from typing import Any

from django.urls import reverse

from dlqconsole.console.audit_words import sentence
from dlqconsole.engine import summaries
from dlqconsole.operations import receipts
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.receipts import Outcome


def receipt_figures(operation: Operation) -> dict[str, Any]:
    """``outcomes`` that have a reason, and ``later_arrivals``: what matches by now and is not part of it."""
    return {
        "outcomes": [each for each in _outcomes(operation) if each.reason],
        "later_arrivals": _later_arrivals(operation),
    }


def item_rows(found: list[OperationItem]) -> list[OperationItem]:
    """Items with the address of their dead letters."""
    for item in found:
        item.url = reverse("dead_letter", args=[item.dead_letter_id])  # type: ignore[attr-defined]
    return found


def timeline(operation_id: int) -> list[dict[str, Any]]:
    """What happened to the operation, newest first: ``at``, ``text``."""
    return [{"at": entry.at, "text": sentence(entry)} for entry in receipts.timeline(operation_id)]


def _outcomes(operation: Operation) -> list[Outcome]:
    try:
        with summaries.within(summaries.BUDGET):
            return receipts.outcomes(operation.pk)
    except summaries.TooSlow:  # the operation's own counts, without the reasons
        return []


def _later_arrivals(operation: Operation) -> int:
    try:
        with summaries.within(summaries.BUDGET):
            return receipts.later_arrivals(operation)
    except summaries.TooSlow:
        return 0
