"""Operations that are handed over: messages of them stand on queues, and nobody has handled them yet.

How many is told by kept counts, so that it costs the same at a million items: what was revived, without what
the trigger of ``dlq_events`` counted as handled and without what an undo pulled back.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, Expression, F, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce, Now

from dlqconsole.engine.models import RevivalOutcome
from dlqconsole.operations.models import Operation, OperationPart, every_kind

# so many of the newest are looked at by one tick: those behind them are looked at when these are over
LOOKED_AT = 1_000


def look(rows: Iterable[Operation]) -> None:
    """Say in each row how many of its messages are under way, by one query."""
    feeding = {row.pk: row for row in rows if row.kind in _feeding()}
    if not feeding:
        return
    found = Operation.objects.filter(pk__in=feeding).values_list("pk", _under_way())
    for number, under_way in found:
        feeding[number].under_way = max(under_way, 0)


def handed_over(rows: QuerySet[Operation]) -> QuerySet[Operation]:
    """Those of the rows that are over but for messages that are still to be handled."""
    return rows.filter(_MAY_BE, kind__in=_feeding()).alias(to_handle=_under_way()).filter(to_handle__gt=0)


def to_queue(rows: QuerySet[Operation], name: str) -> QuerySet[Operation]:
    """Those of the rows that have put messages on a queue which are still to be handled."""
    parts = OperationPart.objects.filter(operation=OuterRef("pk"), queue=name)
    origin = Q(parameters__to_queue="") | Q(parameters__to_queue__isnull=True)
    return handed_over(rows).filter(Q(parameters__to_queue=name) | origin & Exists(parts))


def held_until(names: Collection[str]) -> dict[str, datetime]:
    """By queue, when the first of the messages that an undo window holds back may go out."""
    rows = Operation.objects.filter(undo_until__isnull=False, released_at__isnull=True)
    found: dict[str, Any] = {}
    for to, queue, until in rows.order_by("-undo_until").values_list(
        "parameters__to_queue", "operationpart__queue", "undo_until"
    ):
        if (name := to or queue) in names:
            found[name] = until
    return found


def pulled_back(operation_id: int) -> int:
    """How many of its messages an undo has taken back."""
    undone = Operation.objects.filter(source_operation=operation_id, kind__in=_undoing())
    return int(undone.aggregate(done=Coalesce(Sum("done"), 0))["done"])


def note_handled() -> None:
    """Note of which operations no message is left, so that nobody looks at them again: the tick."""
    newest = Operation.objects.filter(_MAY_BE).order_by("-id").values("pk")[:LOOKED_AT]
    over = Operation.objects.filter(pk__in=Subquery(newest)).alias(to_handle=_under_way())
    is_over = ~Q(kind__in=_feeding()) | Q(to_handle__lte=0)
    with transaction.atomic():
        ids = list(over.filter(is_over).values_list("pk", flat=True))
        Operation.objects.filter(_MAY_BE, pk__in=ids).update(handled_at=Now())


_MAY_BE = Q(finished_at__isnull=False, handled_at__isnull=True)


def _feeding() -> list[str]:
    return [kind.name for kind in every_kind() if kind.feeds_queues]


def _undoing() -> list[str]:
    return [kind.name for kind in every_kind() if kind.takes_back]


def _under_way() -> Expression:
    """How many of an operation's messages are neither handled nor pulled back, over its row."""
    outcomes = RevivalOutcome.objects.filter(operation_id=OuterRef("pk")).order_by().values("operation_id")
    handled = outcomes.annotate(handled=Sum(F("succeeded") + F("failed"))).values("handled")
    undone = Operation.objects.filter(source_operation=OuterRef("pk"), kind__in=_undoing()).order_by()
    pulled = undone.values("source_operation").annotate(pulled=Sum("done")).values("pulled")
    none = Value(0)
    return F("done") - Coalesce(Subquery(handled), none) - Coalesce(Subquery(pulled), none)
