"""What an operation's permanent page shows."""

import json
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry, DeadLetter, Message
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import kinds
from dlqconsole.operations.fate import Fate
from dlqconsole.operations.items import DEAD_LETTERS, Items
from dlqconsole.operations.models import ItemStatus, Operation, OperationItem
from dlqconsole.operations.scope import Matching
from dlqconsole.operations.sql import sql

TIMELINE_LIMIT = 200
ARRIVALS_LIMIT = 1_000
_ORDER = {str(status): place for place, status in enumerate(ItemStatus)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many items have this status for this reason (empty for what is done)."""

    status: str
    reason: str
    count: int


def outcomes(operation_id: int, reach: Reach, of: Items = DEAD_LETTERS) -> list[Outcome]:
    """Counts by status and reason; they add up to what was selected.

    ``reach``, here and below: what the items are limited to, as ``visibility.within`` says.
    """
    rows = _rows(operation_id, reach, of).values_list("status", "reason")
    found = [Outcome(*row) for row in rows.annotate(count=Count(of.key)).order_by()]
    return sorted(found, key=lambda outcome: (_ORDER[outcome.status], -outcome.count, outcome.reason))


def fate(operation: Operation) -> Fate | None:
    """What became of what was moved; None for kinds whose receipt does not tell."""
    kind = kinds.shown(operation.kind)
    return kind.fate(operation) if kind.shows_fate else None


def items(
    operation_id: int,
    reach: Reach,
    *,
    after: int = 0,
    status: str | None = None,
    limit: int = 100,
    of: Items = DEAD_LETTERS,
) -> list[Any]:
    """The items after the one called ``after``, in the order of their ids: rows of ``of.model``."""
    rows = _rows(operation_id, reach, of).filter(**{f"{of.key}__gt": after})
    if status:
        rows = rows.filter(status=status)
    return list(rows.order_by(of.key)[:limit])


def operations_of(dead_letter_id: int, limit: int = 50) -> list[OperationItem]:
    """What operations did to one dead letter, newest first; each item with its operation."""
    rows = OperationItem.objects.filter(dead_letter_id=dead_letter_id).select_related("operation")
    return list(rows.order_by("-operation_id")[:limit])


def timeline(operation_id: int, limit: int = TIMELINE_LIMIT) -> list[AuditEntry]:
    """What the audit log says of the operation, newest first; pages in a row as one entry with their sums.

    The entries are for reading: one that stands for several pages is not a row of the log.
    """
    rows = fetch_dicts(sql("receipts.timeline"), {"id": operation_id, "limit": limit})
    return [
        AuditEntry(**{**row, "operation_id": operation_id, "detail": json.loads(row["detail"])})
        for row in rows
    ]


def later_arrivals(operation: Operation, reach: Reach) -> int:
    """What matches, or stands on the queue, and came too late to be part of it; counted up to 1,000."""
    if operation.scope == "queue":
        newer = Message.objects.filter(queue=operation.queue, pk__gt=operation.cutoff_id)
        return newer[:ARRIVALS_LIMIT].count()
    if operation.scope != "filter":
        return 0
    # they may be so new that no worker has made them findable
    matching = DeadLetterFilter.from_canonical(operation.filter)
    rows = Matching(matching, tuple(operation.states or ())).queryset(reach)
    return rows.filter(pk__gt=operation.cutoff_id)[:ARRIVALS_LIMIT].count()


def _rows(operation_id: int, reach: Reach, of: Items) -> QuerySet[Any]:
    rows = of.model._default_manager.filter(operation_id=operation_id)
    if not reach.is_limited or of is not DEAD_LETTERS:  # a queue is seen as a whole or not at all
        return rows
    return rows.filter(dead_letter_id__in=reach.limit(DeadLetter.objects.all()).values("pk"))
