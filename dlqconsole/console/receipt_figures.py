"""A receipt's figures that take counting, each within a time budget: it is asked for every second."""

from typing import Any

from dlqconsole.engine import summaries
from dlqconsole.operations import receipts
from dlqconsole.operations.models import ItemStatus, Operation
from dlqconsole.operations.receipts import Outcome


def receipt_figures(operation: Operation) -> dict[str, Any]:
    """``outcomes`` by reason, and ``later_arrivals``: what matches by now and is not part of it."""
    return {"outcomes": _outcomes(operation), "later_arrivals": _later_arrivals(operation)}


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
