"""The contents of an operation's permanent page."""

import json
from dataclasses import astuple, dataclass
from typing import Any

from django.db.models import Count, QuerySet

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry, DeadLetter, Message
from dlqconsole.operations import kinds
from dlqconsole.operations.items import DEAD_LETTERS, Items
from dlqconsole.operations.models import Fate, ItemStatus, Operation, OperationItem
from dlqconsole.operations.outcomes import MOVED, MoveOutcomes, count_pulled_back
from dlqconsole.operations.requests.scope import Matching
from dlqconsole.operations.sql import sql
from dlqconsole.transports.queue_overview import is_attached

TIMELINE_LIMIT = 200
# in place of a fate: a canary's probes
PROBES = "probes"
ARRIVALS_LIMIT = 1_000
_ORDER = {str(status): place for place, status in enumerate(ItemStatus)}

# items deleted in one commit, and the most that one call does: the next call goes on
PAGE, PAGES, AT_ONCE = 2_000, 50, 20


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """The number of items with a status for a reason (empty for done ones)."""

    status: str
    reason: str
    count: int


def outcomes(operation_id: int, of: Items = DEAD_LETTERS) -> list[ReasonCount]:
    """Count the items by status and reason; the counts add up to the selection.

    Here and in ``items``, ask within the limit of the items, ``visibility.within``.
    """
    rows = _rows(operation_id, of).values_list("status", "reason")
    counts = [ReasonCount(*row) for row in rows.annotate(count=Count(of.key)).order_by()]
    return sorted(counts, key=lambda outcome: (_ORDER[outcome.status], -outcome.count, outcome.reason))


def move_outcomes(operation: Operation) -> MoveOutcomes | None:
    """The outcomes of the moved items; None for kinds whose receipt does not show them."""
    kind = kinds.shown(operation.kind)
    if not kind.shows_move_outcomes:
        return None
    if operation.is_part:
        return MoveOutcomes.of_part(operation)
    return kind.move_outcomes(operation)


def fates(operation: Operation) -> dict[str, int]:
    """Count the items by fate, from stored counts; the counts add up to the selection."""
    moved = move_outcomes(operation)
    return {
        **(_done(operation) if moved is None else dict(zip(MOVED, astuple(moved), strict=True))),
        Fate.SKIPPED: operation.skipped,
        Fate.FAILED: operation.failed,
        Fate.REMAINING: operation.remaining,
    }


def _done(operation: Operation) -> dict[str, int]:
    """The done items of a kind that uses no queue, without those that an undo pulled back."""
    if operation.is_part:
        pulled_back = operation.fates.get(Fate.PULLED_BACK, 0)
    else:
        pulled_back = count_pulled_back(operation.pk) if operation.undone_by_id else 0
    return {Fate.DONE: operation.done - pulled_back, Fate.PULLED_BACK: pulled_back}


@dataclass(frozen=True, slots=True)
class ReceiptItem:
    """An item, what became of it, why, and the state that it is in now."""

    dead_letter_id: int | None
    message_id: int | None
    fate: str
    reason: str
    group_id: int | None
    status_now: str | None


def items(
    operation_id: int, *, after: int = 0, fate: str = "", limit: int = 100, of: Items = DEAD_LETTERS
) -> list[ReceiptItem]:
    """The items after the one called ``after``, in the order of their ids.

    ``fate``: only those with this one, or with PROBES a canary's newest probes.
    """
    access, values = current_access(), {"id": operation_id, "after": after, "limit": limit}
    if of is not DEAD_LETTERS:  # a queue is seen as a whole or not at all
        chosen = "AND i.status = %(fate)s" if fate else ""
        return _items(sql("receipts.messages").replace("{chosen}", chosen), values | {"fate": fate})
    chosen = "" if not fate else sql("receipts.of_probes" if fate == PROBES else "receipts.of_fate")
    query = sql("receipts.items").replace("{chosen}", chosen).replace("{seen}", _seen())
    return _items(query, values | _fate_values(fate) | access.values())


def _items(query: str, values: dict[str, Any]) -> list[ReceiptItem]:
    return [ReceiptItem(**row) for row in fetch_dicts(query, values)]


def _fate_values(fate: str) -> dict[str, str]:
    """The fate and the status that goes with it, for the table's indexes."""
    return {"fate": fate, "status": fate if fate in ItemStatus.values else ItemStatus.DONE}


def _seen() -> str:
    access = current_access()
    return sql("receipts.seen").format(letters=access.letters("s")) if access.is_limited else ""


@dataclass(frozen=True, slots=True)
class NewError:
    """The failure group that so many of the ``failed`` are in now."""

    group_id: int
    number: int
    failed: int

    @property
    def percent(self) -> int:
        return self.number * 100 // self.failed


def new_errors(operation_id: int, fate: str, limit: int = 5) -> list[NewError]:
    """The new errors of the items with this fate, the most frequent first."""
    query = sql("receipts.new_errors").replace("{seen}", _seen())
    values = {"id": operation_id, "limit": limit} | _fate_values(fate) | current_access().values()
    return [NewError(**row) for row in fetch_dicts(query, values)]


def operations_of(dead_letter_id: int, limit: int = 50) -> list[OperationItem]:
    """The items of one dead letter in all operations, the newest first; each with its operation."""
    rows = OperationItem.objects.filter(dead_letter_id=dead_letter_id).select_related("operation")
    return list(rows.order_by("-operation_id")[:limit])


def timeline(operation_id: int, limit: int = TIMELINE_LIMIT) -> list[AuditEntry]:
    """The audit log of the operation, the newest first; pages in a row are one entry with their sums.

    The entries are for reading only: one that sums up several pages is not a row of the log.
    """
    rows = fetch_dicts(sql("receipts.timeline"), {"id": operation_id, "limit": limit})
    return [
        AuditEntry(**{**row, "operation_id": operation_id, "detail": json.loads(row["detail"])})
        for row in rows
    ]


def later_arrivals(operation: Operation) -> int:
    """Count the matches, or messages of the queue, that came too late to be part of it; at most 1,000.

    None of an attached queue: its own page shows them.
    """
    if operation.scope == "queue" and is_attached(operation.queue):
        return 0
    if operation.scope == "queue":
        newer = Message.objects.filter(queue=operation.queue, pk__gt=operation.cutoff_id)
        return newer[:ARRIVALS_LIMIT].count()
    if operation.scope != "filter":
        return 0
    # they may be so new that no worker has made them findable
    matching = DeadLetterFilter.from_canonical(operation.filter)
    rows = Matching(matching, tuple(operation.states or ())).queryset()
    return rows.filter(pk__gt=operation.cutoff_id)[:ARRIVALS_LIMIT].count()


def _rows(operation_id: int, of: Items) -> QuerySet[Any]:
    access = current_access()
    rows = of.model._default_manager.filter(operation_id=operation_id)
    if not access.is_limited or of is not DEAD_LETTERS:  # a queue is seen as a whole or not at all
        return rows
    return rows.filter(dead_letter_id__in=access.limit(DeadLetter.objects.all()).values("pk"))


def forget_old_items(days: int) -> int:
    """Delete the items of operations that ended so many days ago; return their number. 0 days: none.

    Operations that are open, or can still be taken back, keep theirs. One page is one commit; if a worker
    dies in between, the operation stays marked, and the next call goes on.
    """
    if not days:
        return 0
    undoable = [kind.name for kind in kinds.every() if kind.can_be_undone]
    fetch_column(sql("old_receipts.begin"), {"days": days, "undoable": undoable, "limit": AT_ONCE})
    number = 0
    for _ in range(PAGES):
        operations = fetch_column(sql("old_receipts.leaving"), {})
        if not operations:
            break
        number += _next_page(operations[0])
    return number


def _next_page(operation_id: int) -> int:
    (number,) = fetch_column(sql("old_receipts.page"), {"id": operation_id, "limit": PAGE})
    if not number:
        fetch_column(sql("old_receipts.end"), {"id": operation_id})
    return int(number)
