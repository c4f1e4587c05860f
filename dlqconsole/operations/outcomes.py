"""The outcomes of an operation's items: on a queue and not yet handled, failed again, or succeeded.

Stored counts give the number of those not yet handled, so it costs the same at a million items: the revived
ones, less those that the trigger of ``dlq_events`` counted as handled, less those that an undo pulled back.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, Expression, F, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce, Now

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.models import RevivalOutcome
from dlqconsole.hosting.database import transaction
from dlqconsole.operations.models import Operation, OperationPart, every_kind
from dlqconsole.operations.sql import sql

# one tick looks at so many of the newest: at those behind them when these are over
MOST_PER_TICK = 1_000

_MAY_BE = Q(finished_at__isnull=False, handled_at__isnull=True)


def set_under_way(rows: Iterable[Operation]) -> None:
    """Set on each row the number of its messages that are under way, by one query."""
    feeding = {row.pk: row for row in rows if row.kind in _feeding()}
    if not feeding:
        return
    numbers = Operation.objects.filter(pk__in=feeding).values_list("pk", _under_way())
    for number, under_way in numbers:
        feeding[number].under_way = max(under_way, 0)


def handed_over(rows: QuerySet[Operation]) -> QuerySet[Operation]:
    """The rows of finished operations with messages that are still to be handled."""
    return rows.filter(_MAY_BE, kind__in=_feeding()).alias(to_handle=_under_way()).filter(to_handle__gt=0)


def to_queue(rows: QuerySet[Operation], name: str) -> QuerySet[Operation]:
    """The rows of operations with messages on this queue that are still to be handled."""
    parts = OperationPart.objects.filter(operation=OuterRef("pk"), queue=name)
    origin = Q(parameters__to_queue="") | Q(parameters__to_queue__isnull=True)
    return handed_over(rows).filter(Q(parameters__to_queue=name) | origin & Exists(parts))


def release_times(names: Collection[str]) -> dict[str, datetime]:
    """The moment, by queue, when the first of the messages that an undo window holds back may go out."""
    rows = Operation.objects.filter(undo_until__isnull=False, released_at__isnull=True)
    moments: dict[str, Any] = {}
    for to, queue, until in rows.order_by("-undo_until").values_list(
        "parameters__to_queue", "operationpart__queue", "undo_until"
    ):
        if (name := to or queue) in names:
            moments[name] = until
    return moments


def count_pulled_back(operation_id: int) -> int:
    """Count its messages that an undo has taken back."""
    undos = Operation.objects.filter(source_operation=operation_id, kind__in=_undoing())
    return int(undos.aggregate(done=Coalesce(Sum("done"), 0))["done"])


def note_handled() -> None:
    """Mark operations without a message under way, so that nobody looks at them again: the tick."""
    newest = Operation.objects.filter(_MAY_BE).order_by("-id").values("pk")[:MOST_PER_TICK]
    over = Operation.objects.filter(pk__in=Subquery(newest)).alias(to_handle=_under_way())
    is_over = ~Q(kind__in=_feeding()) | Q(to_handle__lte=0)
    with transaction.atomic():
        ids = list(over.filter(is_over).values_list("pk", flat=True))
        Operation.objects.filter(_MAY_BE, pk__in=ids).update(handled_at=Now())


@dataclass(frozen=True, slots=True)
class MoveOutcomes:
    """The outcomes of the items that are done; the four numbers add up to them."""

    came_back: int
    stayed_away: int
    under_way: int = 0
    pulled_back: int = 0

    @property
    def decided(self) -> int:
        return self.stayed_away + self.came_back

    @property
    def moved(self) -> int:
        return self.decided + self.under_way


def of_revived_items(operation_id: int) -> MoveOutcomes:
    """The outcomes of revived dead letters by now, looked up one by one."""
    row = fetch_dicts(sql("canary.became"), {"id": operation_id})[0]
    return MoveOutcomes(row["came_back"], row["stayed"], row["under_way"])


def of_revival(operation: Operation) -> MoveOutcomes:
    """The same, from the counts of the triggers."""
    stayed_away, came_back = rollups.revival_outcome(operation.pk)
    pulled_back = count_pulled_back(operation.pk)
    under_way = max(operation.done - stayed_away - came_back - pulled_back, 0)
    return MoveOutcomes(came_back, stayed_away, under_way, pulled_back)


def _feeding() -> list[str]:
    return [kind.name for kind in every_kind() if kind.feeds_queues]


def _undoing() -> list[str]:
    return [kind.name for kind in every_kind() if kind.takes_back]


def _under_way() -> Expression:
    """The SQL number of an operation's messages that are neither handled nor pulled back, over its row."""
    outcomes = RevivalOutcome.objects.filter(operation_id=OuterRef("pk")).order_by().values("operation_id")
    settlements = outcomes.annotate(handled=Sum(F("succeeded") + F("failed"))).values("handled")
    undos = Operation.objects.filter(source_operation=OuterRef("pk"), kind__in=_undoing()).order_by()
    pull_backs = undos.values("source_operation").annotate(pulled=Sum("done")).values("pulled")
    none = Value(0)
    return F("done") - Coalesce(Subquery(settlements), none) - Coalesce(Subquery(pull_backs), none)
