"""The operations and audit entries that a person with a limited scope sees, and how much of each.

Of an operation that lies only partly within the scope, its numbers and items are those of the visible part.
"""

from collections import Counter
from collections.abc import Iterable

from django.db.models import QuerySet

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import EVERYTHING, AccessScope, current_access
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations import outcomes
from dlqconsole.operations.models import Fate, ItemStatus, Operation
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.sentences import stored


def operations() -> QuerySet[Operation]:
    """The operations that are at least partly visible, in no order."""
    return _within("some")


def whole() -> QuerySet[Operation]:
    """The operations that are wholly visible: only these may be approved, stopped or taken back."""
    return _within("whole")


def is_visible(operation_id: int) -> tuple[bool, bool]:
    """Tell whether some of an operation is visible, and whether all of it is."""
    all_of_it = whole().filter(pk=operation_id).exists()
    return all_of_it or operations().filter(pk=operation_id).exists(), all_of_it


def with_visible_numbers(rows: Iterable[Operation]) -> list[Operation]:
    """The operations with the numbers of their visible parts; ``is_part`` where that is not all.

    Each has the outcomes of its messages, and the number of those under way.
    """
    result = list(rows)
    outcomes.set_under_way(result)
    if not current_access().is_limited:
        return result
    ids = [row.pk for row in result]
    complete = set(whole().filter(pk__in=ids).values_list("pk", flat=True))
    parts = [row for row in result if row.pk not in complete]
    if parts:
        _set_visible_numbers(parts)
    return result


def within(operation: Operation) -> AccessScope:
    """The limit for the operation's items; none where all of it is visible."""
    return current_access() if operation.is_part else EVERYTHING


def audit_entries() -> QuerySet[AuditEntry]:
    """The entries about visible things, in no order."""
    access = current_access()
    if not access.is_limited:
        return AuditEntry.objects.all()
    text = sql("visibility.audit").format(
        whole=_condition("whole"),
        letters=access.letters("d"),
        messages=access.columns("m.queue", "NULL"),
        message_queue=access.columns("substring(audit_log.target FROM '^message:(.+)/[0-9]+$')", "NULL"),
        counted=access.columns("t.queue", "t.event_type"),
        queue=access.columns("substr(audit_log.target, 7)", "NULL"),
    )
    return AuditEntry.objects.filter(access.condition(text))


def _within(name: str) -> QuerySet[Operation]:
    access = current_access()
    rows = Operation.objects.all()
    return rows.filter(access.condition(_condition(name))) if access.is_limited else rows


def _condition(name: str) -> str:
    access = current_access()
    pair_condition = access.columns("(asked.pair ->> 0)", "(asked.pair ->> 1)")
    return sql(f"visibility.{name}").format(
        parts=access.columns("p.queue", "p.event_type"),
        asked_within=sql("visibility.asked_within").format(asked=pair_condition),
    )


def _set_visible_numbers(parts: list[Operation]) -> None:
    access = current_access()
    values = {"ids": [row.pk for row in parts]} | access.values()
    query = sql("visibility.numbers").format(letters=access.letters("d"))
    numbers = fetch_dicts(query, values)
    items: Counter[tuple[int, str]] = Counter()
    fates: dict[int, dict[str, int]] = {row.pk: {} for row in parts}
    for row in numbers:
        items[row["operation_id"], row["status"]] += row["items"]
        fates[row["operation_id"]][row["fate"]] = row["items"]
    query_of_parts = sql("visibility.selected").format(parts=access.columns("p.queue", "p.event_type"))
    selected_numbers = {row["operation_id"]: row["items"] for row in fetch_dicts(query_of_parts, values)}
    for operation in parts:
        counts = {status: items[operation.pk, status] for status in ItemStatus}
        operation.selected = operation.expected = selected_numbers.get(operation.pk, 0)
        operation.skipped, operation.failed = counts[ItemStatus.SKIPPED], counts[ItemStatus.FAILED]
        operation.fates = fates[operation.pk]
        operation.done, operation.under_way = counts[ItemStatus.DONE], operation.fates.get(Fate.UNDER_WAY, 0)
        if operation.moved is not None:
            operation.moved = outcomes.MoveOutcomes.of_part(operation)
        _settle_missing(operation, operation.selected - sum(counts.values()))
        _leave_out_the_rest(operation)


def _settle_missing(row: Operation, missing: int) -> None:
    """Count missing items: a purge deletes its own, an export keeps none; others have lost the outcome."""
    if row.deletes or row.has_file:
        row.done += missing
    elif row.finished_at:
        row.selected = row.expected = row.selected - missing


def _leave_out_the_rest(row: Operation) -> None:
    """Remove the facts about the whole: its options, its file, its note, its ticked rows."""
    row.is_part, row.expected_exact, row.note = True, True, ""
    row.parameters, row.result, row.ids = {}, {}, []
    if row.scope == "rows":
        row.filter_words = stored("ticked dead letters")
