"""Ask for an operation, or stop one. Both only write rows: a worker does the work."""

import json
from collections.abc import Iterable
from functools import partial
from uuid import UUID

from django.db import transaction

from dlqconsole.engine import audit
from dlqconsole.engine.filters import DeadLetterFilter
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Kind, Operation
from dlqconsole.operations.sql import sql
from dlqconsole.operations.wake import wake
from dlqconsole.processing.texts import sanitise_text

REASON_LIMIT = 2_000
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
) -> Operation:
    """Record what a person confirmed and wake a worker; the same ``request_key`` is the same operation.

    Exactly one of ``filter`` and ``ids`` is given. ``expected`` is the number that the person saw.
    Raises OperationRefused with a sentence.
    """
    values = {
        "request_key": request_key,
        "kind": _kind(kind),
        "actor": actor,
        "reason": _reason(reason),
        "expected": expected,
        "expected_exact": expected_exact,
        **_scope(filter, ids),
    }
    with transaction.atomic():
        found = fetch_column(sql("operations.request"), values)
        if found:
            _accepted(found[0], values)
    return _the_one(request_key, values)


def cancel(operation_id: int, actor: str) -> bool:
    """Stop at the next page; what was done stays done. False when there was nothing left to stop."""
    return bool(fetch_column(sql("operations.cancel"), {"id": operation_id, "actor": actor}))


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
            "expected": values["expected"],
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
    clean = sanitise_text(reason, limit=len(reason) + 1).strip()
    if not clean:
        raise OperationRefused("Say why: the audit log keeps the reason.")
    if len(clean) > REASON_LIMIT:
        raise OperationRefused(f"The reason has {len(clean):,} characters; the limit is {REASON_LIMIT:,}.")
    return clean


def _scope(filter: DeadLetterFilter | None, ids: Iterable[int] | None) -> dict[str, object]:
    if (filter is None) == (ids is None):
        raise OperationRefused("An operation is over ticked rows, or over all that a filter matches.")
    if filter is not None:
        canonical = json.dumps(filter.canonical())
        return {"scope": "filter", "ids": "[]", "filter": canonical, "filter_words": filter.words()}
    ticked = _ticked(ids or ())
    words = f"dead letter {ticked[0]}" if len(ticked) == 1 else f"{len(ticked):,} ticked dead letters"
    return {"scope": "rows", "ids": json.dumps(ticked), "filter": "{}", "filter_words": words}


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
