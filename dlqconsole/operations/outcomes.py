"""The outcomes of an operation's items: under way on their queues, failed again, succeeded, or pulled back.

Stored counts give the number of those not yet handled, so it costs the same at a million items: the revived
ones, less those that the trigger of ``dlq_events`` counted as handled, less those that an undo pulled back.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.db.models import Exists, Expression, F, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.counts import rollups, summaries
from dlqconsole.engine.models import RevivalOutcome
from dlqconsole.hosting.database import transaction
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.models import Fate, Operation, OperationPart, every_kind
from dlqconsole.operations.sql import sql

# one tick looks at so many of the newest: at those behind them when these are over
MOST_PER_TICK = 1_000

# the fates of moved items, in the order of MoveOutcomes
MOVED = (Fate.FAILED_AGAIN, Fate.SUCCEEDED, Fate.UNDER_WAY, Fate.PULLED_BACK)
_MAY_BE = Q(finished_at__isnull=False, handled_at__isnull=True)


def set_under_way(rows: Iterable[Operation]) -> None:
    """Set on each row the outcomes of its messages, and the number of those under way, by one query."""
    feeding = {row.pk: row for row in rows if row.kind in _feeding()}
    if not feeding:
        return
    numbers = Operation.objects.filter(pk__in=feeding).values_list(
        "pk", _handled("failed"), _handled("succeeded"), _under_way(), _pulled_back()
    )
    for number, failed, succeeded, under_way, pulled_back in numbers:
        row = feeding[number]
        row.under_way = max(under_way, 0)
        row.moved = MoveOutcomes(failed, succeeded, row.under_way, pulled_back)


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


def count_takeable(operation: Operation) -> int:
    """Count its messages that an undo would still take back, within a time budget; else those under way."""
    is_held = operation.undo_until is not None and operation.released_at is None
    if is_held or not operation.under_way:
        return operation.under_way
    try:
        with summaries.time_budget(summaries.BUDGET):
            return int(fetch_column(sql("undoing.takeable"), {"id": operation.pk})[0])
    except summaries.TooSlow:
        return operation.under_way


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

    failed_again: int
    succeeded: int
    under_way: int = 0
    pulled_back: int = 0

    @classmethod
    def of_part(cls, operation: Operation) -> Self:
        return cls(*(operation.fates.get(fate, 0) for fate in MOVED))

    @property
    def decided(self) -> int:
        return self.succeeded + self.failed_again

    @property
    def moved(self) -> int:
        return self.decided + self.under_way


def of_revived_items(operation_id: int) -> MoveOutcomes:
    """The outcomes of revived dead letters by now, looked up one by one."""
    row = fetch_dicts(sql("canary.became"), {"id": operation_id})[0]
    return MoveOutcomes(row["failed_again"], row["succeeded"], row["under_way"])


def of_revival(operation: Operation) -> MoveOutcomes:
    """The same, from the counts of the triggers."""
    succeeded, failed_again = rollups.revival_outcome(operation.pk)
    pulled_back = count_pulled_back(operation.pk)
    under_way = max(operation.done - succeeded - failed_again - pulled_back, 0)
    return MoveOutcomes(failed_again, succeeded, under_way, pulled_back)


_WORDS = {
    Fate.SUCCEEDED: gettext_lazy("{n:,} succeeded"),
    Fate.FAILED_AGAIN: gettext_lazy("{n:,} failed again"),
    Fate.UNDER_WAY: gettext_lazy("{n:,} under way"),
    Fate.PULLED_BACK: gettext_lazy("{n:,} pulled back"),
    Fate.DONE: gettext_lazy("{n:,} done"),
    Fate.SKIPPED: gettext_lazy("{n:,} skipped"),
    Fate.FAILED: gettext_lazy("{n:,} failed"),
    Fate.REMAINING: gettext_lazy("{n:,} remaining"),
}


def in_words(row: Operation) -> str:
    """The outcomes of its items: ``857 succeeded, 143 failed again, 0 skipped``; of a kind that puts nothing
    on queues ``3 done, 1 skipped, 0 failed``. Ask ``set_under_way`` before.
    """
    settled = {Fate.SKIPPED: row.skipped, Fate.FAILED: row.failed, Fate.REMAINING: row.remaining}
    if (moved := row.moved) is None:
        usual, done = {Fate.DONE, Fate.SKIPPED, Fate.FAILED}, {Fate.DONE: row.done}
    else:
        usual = {Fate.SUCCEEDED, Fate.FAILED_AGAIN, Fate.SKIPPED}
        done = {
            Fate.SUCCEEDED: moved.succeeded,
            Fate.FAILED_AGAIN: moved.failed_again,
            Fate.UNDER_WAY: moved.under_way,
            Fate.PULLED_BACK: moved.pulled_back,
        }
    numbers = (done | settled).items()
    return _(", ").join(
        str(_WORDS[fate]).format(n=number) for fate, number in numbers if number or fate in usual
    )


def _feeding() -> list[str]:
    return [kind.name for kind in every_kind() if kind.feeds_queues]


def _undoing() -> list[str]:
    return [kind.name for kind in every_kind() if kind.takes_back]


def _under_way() -> Expression:
    """The SQL number of an operation's messages that are neither handled nor pulled back, over its row."""
    return F("done") - _handled("succeeded") - _handled("failed") - _pulled_back()


def _handled(outcome: str) -> Expression:
    """The SQL number of its messages with this outcome, ``succeeded`` or ``failed``."""
    rows = RevivalOutcome.objects.filter(operation_id=OuterRef("pk")).order_by().values("operation_id")
    return Coalesce(Subquery(rows.annotate(number=Sum(outcome)).values("number")), Value(0))


def _pulled_back() -> Expression:
    undos = Operation.objects.filter(source_operation=OuterRef("pk"), kind__in=_undoing()).order_by()
    pull_backs = undos.values("source_operation").annotate(pulled=Sum("done")).values("pulled")
    return Coalesce(Subquery(pull_backs), Value(0))
