"""A receipt's figures that take counting, each within a time budget: it is asked for every second."""

from typing import Any

from django.urls import reverse

from dlqconsole.engine import summaries
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations import receipts
from dlqconsole.operations.models import ItemStatus, Operation, OperationItem
from dlqconsole.operations.receipts import Outcome


def receipt_figures(operation: Operation) -> dict[str, Any]:
    """``outcomes`` by reason, and ``later_arrivals``: what matches by now and is not part of it."""
    return {"outcomes": _outcomes(operation), "later_arrivals": _later_arrivals(operation)}


def item_rows(found: list[OperationItem]) -> list[OperationItem]:
    """Items with the address of their dead letters."""
    for item in found:
        item.url = reverse("dead_letter", args=[item.dead_letter_id])  # type: ignore[attr-defined]
    return found


def timeline(operation_id: int) -> list[dict[str, Any]]:
    """What happened to the operation, newest first: ``at``, ``text``."""
    return [{"at": entry.at, "text": _sentence(entry)} for entry in receipts.timeline(operation_id)]


def _sentence(entry: AuditEntry) -> str:
    counts = (f"{value:,} {name}" for name, value in entry.detail.items() if type(value) is int)
    figures = ", ".join(counts)
    return f"{entry.actor}: {entry.action}" + (f" ({figures})" if figures else "")


def _outcomes(operation: Operation) -> list[Outcome]:
    try:
        with summaries.within(summaries.BUDGET):
            return receipts.outcomes(operation.pk)
    except summaries.TooSlow:  # the operation's own counts, without the reasons
        return [Outcome(status, "", getattr(operation, status)) for status in ItemStatus.values]


def _later_arrivals(operation: Operation) -> int:
    try:
        with summaries.within(summaries.BUDGET):
            return receipts.later_arrivals(operation)
    except summaries.TooSlow:
        return 0
