"""Ask for an operation, or stop one. Both only write rows: a worker does the work."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction

from dlqconsole.engine import audit
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.operations import approval, kinds, thresholds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.kinds.words import checked_words
from dlqconsole.operations.leases import with_undo
from dlqconsole.operations.models import Approval, Operation
from dlqconsole.operations.recounting import counted
from dlqconsole.operations.request import OperationRequest
from dlqconsole.operations.sql import sql
from dlqconsole.operations.wake import wake
from dlqconsole.people.actors import account_of, answers_for
from dlqconsole.people.names import named
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.reasons import checked_reason

UNPROVEN = (
    "This needs approval, as {why}: so who asks has to prove who they are. Ask for it in the console, or"
    " give a personal token of your own by --token-file or DLQ_TOKEN."
)


@dataclass(frozen=True, slots=True)
class _Typed:
    """What was typed, and what had to be."""

    count: int | None
    acts_on: int


def request_operation(
    request: OperationRequest, *, actor: str, by_policy: bool = False, is_proven: bool = True
) -> Operation:
    """Record what a person confirmed and wake a worker; the same ``request.key`` is the same operation.

    ``by_policy``: a machine does what people have configured, and asks nobody. ``is_proven``: where the
    actor is a person, they are signed in, or have a token that nobody else made; a standing rule was made
    by such a one. Raises OperationRefused with a sentence.
    """
    if request.is_told and Operation.objects.filter(request_key=request.key).exists():
        # sent twice: what it was over may be done by now, and is not counted again
        return _the_one(request, actor)
    is_proven = is_proven and account_of(answers_for(actor)) is not None
    values = _values(request, by_policy, is_proven) | {"actor": actor}
    with transaction.atomic():
        found = fetch_column(sql("operations.request"), values)
        if found:
            thresholds.note()
            _accepted(found[0], values)
    return _the_one(request, actor)


def cancel(operation_id: int, actor: str) -> bool:
    """Stop at the next page; what was done stays done. False when there was nothing left to stop."""
    query = with_undo(sql("operations.cancel"))
    return bool(fetch_column(query, {"id": operation_id, "actor": actor}))


def _values(request: OperationRequest, by_policy: bool, is_proven: bool) -> dict[str, Any]:
    """The columns of the operation's row."""
    kind = kinds.get(request.kind)
    options = kind.read(request.options, request.reach)
    # its receipt will say them for ever
    checked_words(kind, options)
    reason, scope = _reason(request.reason), request.scope.stored(request.reach)
    seen, acts_on = counted(request, options)
    rate = options.pop("rate", None)
    return {
        "request_key": request.key,
        "kind": kind.name,
        "takes_back": kind.takes_back,
        "reason": reason,
        "expected": seen.value,
        "expected_exact": not seen.is_least,
        "parameters": json.dumps(options),
        "reach": json.dumps(request.reach.scopes) if request.reach.is_limited else None,
        "rate": rate,
        "stage": 0 if options.get("canary") else None,
        **_approval(kind, options, seen.value, _Typed(request.typed_count, acts_on), by_policy, is_proven),
        "is_proven": is_proven,
        **scope,
    }


def _accepted(operation_id: int, values: Mapping[str, Any]) -> None:
    """In the transaction that made the operation: note it, and wake a worker once it is committed."""
    audit.record(
        values["actor"],
        f"request {values['kind']}",
        f"operation:{operation_id}",
        reason=values["reason"],
        operation_id=operation_id,
        detail={
            "scope": values["scope"],
            "filter": json.loads(values["filter"]),
            "source": values["source_operation_id"],
            "expected": values["expected"],
            "parameters": json.loads(values["parameters"]),
            "rate": values["rate"],
        },
    )
    transaction.on_commit(partial(wake, operation_id), robust=True)


def _the_one(request: OperationRequest, actor: str) -> Operation:
    operation = Operation.objects.get(request_key=request.key)
    if (operation.kind, operation.actor) != (request.kind, actor):
        raise OperationRefused(
            f"This form was already used for operation {operation.pk} ({operation.kind}"
            f" by {named(operation.actor)}). Open it again."
        )
    return operation


def _reason(reason: str) -> str:
    try:
        return checked_reason(reason)
    except InvalidInput as problem:
        raise OperationRefused(str(problem)) from problem


def _approval(
    kind: Kind,
    options: Mapping[str, Any],
    expected: int,
    typed: _Typed,
    by_policy: bool,
    is_proven: bool,
) -> dict[str, object]:
    """Whether it may be worked on once it is frozen, and up to how many items."""
    if by_policy:
        return {"approval": str(Approval.NOT_NEEDED), "alone_up_to": approval.NOBODY_NEEDED}
    rule = approval.rule(kind, options, expected)
    if rule != approval.NONE and not is_proven:
        raise OperationRefused(UNPROVEN.format(why=kind.why_approval(options)))
    if rule == approval.TYPED and typed.count is not None:
        if typed.count != typed.acts_on:
            raise OperationRefused(f"Type {typed.acts_on:,} to show that you mean all of them.")
        return {"approval": str(Approval.GIVEN), "alone_up_to": expected}
    return {"approval": str(Approval.NOT_NEEDED), "alone_up_to": approval.limit(kind, options)}
