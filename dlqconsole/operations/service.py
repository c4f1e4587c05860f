"""Ask for an operation, or stop one. Both only write rows: a worker does the work."""

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from dlqconsole.engine import audit
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.operations import approval
from dlqconsole.operations import parameters as kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.leases import with_undo
from dlqconsole.operations.models import Approval, ItemStatus, Kind, Operation
from dlqconsole.operations.sql import sql
from dlqconsole.operations.wake import wake
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.reasons import kept_reason

IDS_LIMIT = 10_000


def request_operation(
    kind: str,
    *,
    actor: str,
    reason: str,
    request_key: UUID,
    expected: int,
    expected_exact: bool = True,
    filter: DeadLetterFilter | None = None,
    ids: Iterable[int] | None = None,
    source: tuple[int, str] | None = None,
    parameters: Mapping[str, Any] | None = None,
    rate: int | None = None,
    typed_count: int | None = None,
    by_policy: bool = False,
) -> Operation:
    """Record what a person confirmed and wake a worker; the same ``request_key`` is the same operation.

    Exactly one of ``filter``, ``ids`` and ``source`` is given; the last is another operation and the outcome
    of those of its items that are meant. ``expected`` is the number that the person saw, ``typed_count`` what
    they typed where ``approval.rule`` asks for it. ``parameters`` is what ``parameters.read`` knows of the
    kind, ``rate`` items a second. ``by_policy``: a machine does what people have configured, and asks nobody.
    Raises OperationRefused with a sentence.
    """
    chosen = _kind(kind)
    read = kinds.read(chosen, parameters or {})
    values = {
        "request_key": request_key,
        "kind": chosen,
        "actor": actor,
        "reason": _reason(reason),
        "expected": expected,
        "expected_exact": expected_exact,
        "parameters": json.dumps(read),
        "rate": kinds.read_rate(rate),
        "stage": 0 if read.get("canary") else None,
        **_approval(chosen, read, expected, typed_count, by_policy),
        **_scope(filter, ids, source),
    }
    with transaction.atomic():
        found = fetch_column(sql("operations.request"), values)
        if found:
            _accepted(found[0], values)
    return _the_one(request_key, values)


def cancel(operation_id: int, actor: str) -> bool:
    """Stop at the next page; what was done stays done. False when there was nothing left to stop."""
    query = with_undo(sql("operations.cancel"))
    return bool(fetch_column(query, {"id": operation_id, "actor": actor}))


def _accepted(operation_id: int, values: dict[str, object]) -> None:
    """In the transaction that made the operation: note it, and wake a worker once it is committed."""
    audit.record(
        str(values["actor"]),
        f"request {values['kind']}",
        f"operation:{operation_id}",
        reason=str(values["reason"]),
        operation_id=operation_id,
        detail={
            "scope": values["scope"],
            "filter": json.loads(str(values["filter"])),
            "source": values["source_operation_id"],
            "expected": values["expected"],
            "parameters": json.loads(str(values["parameters"])),
            "rate": values["rate"],
        },
    )
    transaction.on_commit(partial(wake, operation_id), robust=True)


def _the_one(request_key: UUID, values: dict[str, object]) -> Operation:
    operation = Operation.objects.get(request_key=request_key)
    if (operation.kind, operation.actor) != (values["kind"], values["actor"]):
        raise OperationRefused(
            f"This form was already used for operation {operation.pk} ({operation.kind}"
            f" by {operation.actor}). Open it again."
        )
    return operation


def _kind(kind: str) -> str:
    if kind not in Kind.values:
        raise OperationRefused(f"An operation is one of {', '.join(Kind.values)}; not “{kind}”.")
    return str(Kind(kind))


def _reason(reason: str) -> str:
    try:
        return kept_reason(reason)
    except InvalidInput as problem:
        raise OperationRefused(str(problem)) from problem


def _approval(
    kind: str, parameters: Mapping[str, Any], expected: int, typed_count: int | None, by_policy: bool
) -> dict[str, object]:
    """Whether it may be worked on once it is frozen, and up to how many items."""
    limit = approval.limit(kind, parameters)
    if by_policy:
        return {"approval": str(Approval.NOT_NEEDED), "alone_up_to": 2**31 - 1}
    rule = approval.rule(kind, parameters, expected)
    if rule == approval.TYPED and typed_count is not None:
        if typed_count != expected:
            raise OperationRefused(f"Type {expected} to show that you mean all of them.")
        return {"approval": str(Approval.GIVEN), "alone_up_to": expected}
    return {"approval": str(Approval.NOT_NEEDED), "alone_up_to": limit}


def _scope(
    filter: DeadLetterFilter | None, ids: Iterable[int] | None, source: tuple[int, str] | None
) -> dict[str, object]:
    if [filter is None, ids is None, source is None].count(False) != 1:
        raise OperationRefused("An operation is over ticked rows, or over all that a filter matches.")
    nothing: dict[str, object] = {
        "ids": "[]",
        "filter": "{}",
        "source_operation_id": None,
        "source_outcome": "",
        "group_id": None,
    }
    if filter is not None:
        canonical = json.dumps(filter.canonical())
        return nothing | {
            "scope": "filter",
            "filter": canonical,
            "filter_words": filter.words(),
            "group_id": filter.group,
        }
    if source is not None:
        return nothing | _of_operation(*source)
    ticked = _ticked(ids or ())
    words = f"dead letter {ticked[0]}" if len(ticked) == 1 else f"{len(ticked):,} ticked dead letters"
    return nothing | {"scope": "rows", "ids": json.dumps(ticked), "filter_words": words}


def _of_operation(operation_id: int, outcome: str) -> dict[str, object]:
    if outcome not in ItemStatus.values:
        raise OperationRefused(f"An item is one of {', '.join(ItemStatus.values)}; not “{outcome[:40]}”.")
    found = Operation.objects.filter(pk=operation_id).first()
    if found is None:
        raise OperationRefused(f"There is no operation {operation_id}.")
    return {
        "scope": "items",
        "source_operation_id": found.pk,
        "source_outcome": outcome,
        "filter_words": f"what operation {found.pk} ({found.kind}) left {outcome}",
        "group_id": found.group_id,
    }


def _ticked(ids: Iterable[int]) -> list[int]:
    ticked = sorted(set(ids))
    if not ticked:
        raise OperationRefused("Tick at least one dead letter, or choose all that match.")
    if len(ticked) > IDS_LIMIT:
        raise OperationRefused(
            f"At most {IDS_LIMIT:,} rows can be ticked; these are {len(ticked):,}. Use a filter instead."
        )
    if not 0 < ticked[0] <= ticked[-1] < 2**63:
        raise OperationRefused("The number of a dead letter lies between 1 and 9223372036854775807.")
    return ticked
