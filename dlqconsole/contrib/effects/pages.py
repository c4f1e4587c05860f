"""The parts that the ledger adds to the confirm page and to receipts."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from dlqconsole.contrib.effects import ledger
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts.summaries import TooSlow, time_budget
from dlqconsole.engine.models import DeadLetter
from dlqconsole.features import Card
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.requests.scope import QueueMessages, Scope

# a person waits for the page
BUDGET_MS = 1_000


def on_confirm(request: HttpRequest, kind: Kind, scope: Scope) -> Card | None:
    """The effects that the selected dead letters had already."""
    if isinstance(scope, QueueMessages) or not _runs_again(kind):
        return None
    return _card(scope.queryset(), None)


def on_receipt(request: HttpRequest, operation: Operation) -> Card | None:
    """The effects that the items had when the operation was asked for. An open page keeps what it has."""
    if (
        "X-Live" in request.headers
        or operation.scope == "queue"
        or not _runs_again(kinds.shown(operation.kind))
    ):
        return None
    items = OperationItem.objects.filter(operation_id=operation.pk).values("dead_letter_id")
    letters: QuerySet[DeadLetter] = current_access().limit(DeadLetter.objects.filter(pk__in=items))
    return _card(letters, operation.created_at)


def _runs_again(kind: Kind) -> bool:
    return kind.feeds_queues or kind.runs_handlers


def _card(letters: QuerySet[DeadLetter], before: datetime | None) -> Card | None:
    if ledger.is_empty():
        return None
    context: dict[str, Any] = {"effects": [], "is_late": before is not None, "is_slow": False}
    try:
        with time_budget(BUDGET_MS):
            context["effects"] = ledger.of_letters(letters, before)
    except TooSlow:
        context["is_slow"] = True
    return Card("effects/counts.html", context) if context["effects"] or context["is_slow"] else None
