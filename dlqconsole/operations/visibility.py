"""What somebody who is limited sees of operations, and of the audit log: which, and how much of each.

An operation of which only a part lies within reach is told without the rest: its numbers, its items.
"""

from collections.abc import Iterable

from django.db.models import QuerySet

from dlqconsole.engine.models import AuditEntry
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.reach import EVERYTHING, Reach
from dlqconsole.operations import handed_over
from dlqconsole.operations.models import ItemStatus, Operation
from dlqconsole.operations.sql import sql


def operations(reach: Reach) -> QuerySet[Operation]:
    """Those of which something is seen, in no order."""
    return _those(reach, "some")


def whole(reach: Reach) -> QuerySet[Operation]:
    """Those of which everything is seen: only these may be approved, stopped or taken back."""
    return _those(reach, "whole")


def seen(operation_id: int, reach: Reach) -> tuple[bool, bool]:
    """Whether some of an operation is seen, and whether all of it is."""
    all_of_it = whole(reach).filter(pk=operation_id).exists()
    return all_of_it or operations(reach).filter(pk=operation_id).exists(), all_of_it


def told(rows: Iterable[Operation], reach: Reach) -> list[Operation]:
    """Operations of which something is seen, with the numbers of that; ``is_part`` where it is not all.

    Each says how many of its messages are under way.
    """
    found = list(rows)
    handed_over.look(found)
    if not reach.is_limited:
        return found
    ids = [row.pk for row in found]
    complete = set(whole(reach).filter(pk__in=ids).values_list("pk", flat=True))
    parts = [row for row in found if row.pk not in complete]
    if parts:
        _retell(parts, reach)
    return found


def within(operation: Operation, reach: Reach) -> Reach:
    """What the operation's items are to be limited to; nothing where all of it is seen."""
    return reach if operation.is_part else EVERYTHING


def audit_entries(reach: Reach) -> QuerySet[AuditEntry]:
    """The entries about what is seen, in no order."""
    if not reach.is_limited:
        return AuditEntry.objects.all()
    text = sql("visibility.audit").format(
        whole=_condition("whole", reach),
        letters=reach.letters("d"),
        messages=reach.columns("m.queue", "NULL"),
        counted=reach.columns("t.queue", "t.event_type"),
        queue=reach.columns("substr(audit_log.target, 7)", "NULL"),
    )
    return AuditEntry.objects.filter(reach.condition(text))


def _those(reach: Reach, name: str) -> QuerySet[Operation]:
    rows = Operation.objects.all()
    return rows.filter(reach.condition(_condition(name, reach))) if reach.is_limited else rows


def _condition(name: str, reach: Reach) -> str:
    asked = reach.columns("(asked.pair ->> 0)", "(asked.pair ->> 1)")
    return sql(f"visibility.{name}").format(
        parts=reach.columns("p.queue", "p.event_type"),
        asked_within=sql("visibility.asked_within").format(asked=asked),
    )


def _retell(parts: list[Operation], reach: Reach) -> None:
    values = {"ids": [row.pk for row in parts]} | reach.values()
    counted = sql("visibility.numbers").format(letters=reach.letters("d"))
    numbers = fetch_dicts(counted, values)
    items = {(row["operation_id"], row["status"]): row["items"] for row in numbers}
    under_way = {row["operation_id"]: row["under_way"] for row in numbers if row["status"] == ItemStatus.DONE}
    asked = sql("visibility.selected").format(parts=reach.columns("p.queue", "p.event_type"))
    selected = {row["operation_id"]: row["items"] for row in fetch_dicts(asked, values)}
    for row in parts:
        counts = {status: items.get((row.pk, status), 0) for status in ItemStatus}
        row.selected = row.expected = selected.get(row.pk, 0)
        row.skipped, row.failed = counts[ItemStatus.SKIPPED], counts[ItemStatus.FAILED]
        row.done, row.under_way = counts[ItemStatus.DONE], under_way.get(row.pk, 0)
        _settle_what_is_gone(row, row.selected - sum(counts.values()))
        _leave_out_the_rest(row)


def _settle_what_is_gone(row: Operation, gone: int) -> None:
    """What is gone a purge has deleted; what another operation did with it, nobody knows any more."""
    if row.deletes:
        row.done += gone
    elif row.finished_at:
        row.selected = row.expected = row.selected - gone


def _leave_out_the_rest(row: Operation) -> None:
    """What is said of all of it: where it goes, how many were ticked, what it waits for, its file."""
    row.is_part, row.expected_exact, row.note = True, True, ""
    row.parameters, row.result, row.ids = {}, {}, []
    if row.scope == "rows":
        row.filter_words = "ticked dead letters"
