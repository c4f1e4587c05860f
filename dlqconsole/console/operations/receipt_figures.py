"""A receipt's counted figures, each within a time budget: the page polls every second."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.console.audit.words import sentence
from dlqconsole.console.operations.receipt_items import FATES, items_url
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations import kinds
from dlqconsole.operations.models import Fate, Operation
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.receipts.receipt import ReasonCount


def receipt_figures(operation: Operation) -> dict[str, Any]:
    """``outcomes`` that have a reason, ``fates`` with their numbers; within the scope of the items.

    ``handled_share``: how many of the handled ones succeeded.
    """
    fates = receipt.fates(operation)
    return {
        "outcomes": _outcomes(operation),
        "fates": [fate for fate in _figures(operation, fates) if fate["number"] or fate["is_usual"]],
        "failed_again": fates.get(Fate.FAILED_AGAIN, 0),
        "handled_share": _handled_share(fates),
    }


# these stand there also where there are none
_USUAL = (Fate.SUCCEEDED, Fate.FAILED_AGAIN, Fate.UNDER_WAY, Fate.DONE, Fate.SKIPPED, Fate.REMAINING)


def _figures(operation: Operation, fates: Mapping[str, int]) -> list[dict[str, Any]]:
    """A figure for each fate, which add up to the selection; with the address of its items."""
    kind = kinds.shown(operation.kind)
    # a kind that knows nothing of queues fails, or does not
    usual = (*_USUAL, Fate.FAILED) if Fate.DONE in fates else _USUAL
    return [
        {
            "fate": fate.value,
            "label": kind.fate_label(fate),
            "number": fates[fate],
            "is_usual": fate in usual,
            "url": items_url(operation, fate) if fates[fate] and operation.has_items else "",
        }
        for fate in FATES
        if fate in fates
    ]


def _handled_share(fates: Mapping[str, int]) -> str:
    """``98 % of the 120``; rounded down: 99.9 % is not all. Empty where nothing was handled yet."""
    succeeded, failed = fates.get(Fate.SUCCEEDED, 0), fates.get(Fate.FAILED_AGAIN, 0)
    handled = succeeded + failed
    return (
        _("{succeeded} % of the {handled:,}").format(succeeded=succeeded * 100 // handled, handled=handled)
        if handled
        else ""
    )


def late_figures(operation: Operation) -> dict[str, Any]:
    """``later_arrivals`` that match by now: no items, so within the scope of who asks."""
    late: int = _in_time(lambda: receipt.later_arrivals(operation), 0)
    return {"later_arrivals": late, "more_arrivals": late >= receipt.ARRIVALS_LIMIT}


def _outcomes(operation: Operation) -> list[ReasonCount]:
    """The outcomes with a reason: while nothing is settled no item has one, and no query is needed."""
    if not operation.has_items or not (operation.done or operation.skipped or operation.failed):
        return []
    kind = kinds.shown(operation.kind)
    if kind.reasons_on_card:
        return []
    outcomes: list[ReasonCount] = _in_time(lambda: receipt.outcomes(operation.pk, kind.items), [])
    return [each for each in outcomes if each.reason]


def timeline(operation_id: int) -> list[dict[str, Any]]:
    """The events of the operation, newest first: ``at``, ``text``."""
    return [{"at": entry.at, "text": _with_reason(entry)} for entry in receipt.timeline(operation_id)]


def _with_reason(entry: AuditEntry) -> str:
    """The event, and why a person went on in spite of a canary; why it was asked for stands beside it."""
    because = f": “{entry.reason}”" if entry.action == "resume" and entry.reason else ""
    return sentence(entry) + because


def _in_time[Answer](query: Callable[[], Answer], default: Answer) -> Answer:
    """The answer, or the default if it takes too long."""
    try:
        with summaries.time_budget(summaries.BUDGET):
            return query()
    except summaries.TooSlow:
        return default
