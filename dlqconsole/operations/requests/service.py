"""Request an operation, or cancel one. Both only write rows: a worker does the work."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine import audit
from dlqconsole.engine.access_scope import current_access
from dlqconsole.hosting.database import transaction
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations import kinds, passed
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.kinds.words import option_words
from dlqconsole.operations.models import Approval, Operation
from dlqconsole.operations.requests import approval
from dlqconsole.operations.requests.request import OperationRequest, count_request
from dlqconsole.operations.requests.workers import wake
from dlqconsole.operations.sql import sql
from dlqconsole.people.actors import account_of, answers_for
from dlqconsole.people.names import named
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import checked_reason

UNPROVEN = gettext_lazy(
    "This needs approval, as {why}: so who asks has to prove who they are. Ask for it in"
    " the console, or give a personal token of your own by --token-file or DLQ_TOKEN."
)


@dataclass(frozen=True, slots=True)
class _TypedCount:
    """The count that the person typed, and the count that they must type."""

    count: int | None
    acts_on: int


def request_operation(
    request: OperationRequest, *, actor: str, by_policy: bool = False, is_proven: bool = True
) -> Operation:
    """Record a confirmed operation and wake a worker; the same ``request.key`` is the same operation.

    ``by_policy``: a machine follows a policy of people, without approval. ``is_proven``: the person who acts,
    or made the standing rule, is signed in or has a token that they made themselves. Raises OperationRefused
    with a sentence.
    """
    if request.is_told and Operation.objects.filter(request_key=request.key).exists():
        # sent twice: its items may be done by now, so they are not counted again
        return _operation_of(request, actor)
    is_proven = is_proven and account_of(answers_for(actor)) is not None
    values = _values(request, by_policy, is_proven) | {"actor": actor}
    with transaction.atomic():
        ids = fetch_column(sql("operations.request"), values)
        if ids:
            approval.note_thresholds()
            _note_and_wake(ids[0], values)
    return _operation_of(request, actor)


def cancel(operation_id: int, actor: str) -> bool:
    """Cancel an operation at its next page; done items stay done. False when it was over."""
    query = with_undo(sql("operations.cancel"))
    return bool(fetch_column(query, {"id": operation_id, "actor": actor}))


def with_undo(query: str) -> str:
    """Put the end of the undo window into a query that ends an operation."""
    return query.replace("{undo_until}", sql("operations.undo_until"))


def _values(request: OperationRequest, by_policy: bool, is_proven: bool) -> dict[str, Any]:
    """Check the request and return the columns of the operation's row."""
    kind = kinds.get(request.kind)
    options = kind.read(request.options)
    # its receipt will show them for ever
    option_words(kind, options)
    reason, scope = _reason(request.reason), request.scope.columns()
    count, acts_on = count_request(request, options)
    access = current_access()
    rate = options.pop("rate", None)
    return {
        "request_key": request.key,
        "kind": kind.name,
        "takes_back": kind.takes_back,
        "reason": reason,
        "expected": count.value,
        "expected_exact": not count.is_least,
        "parameters": json.dumps(options),
        "access_scope": json.dumps(access.scopes) if access.is_limited else None,
        "rate": rate,
        "passed_operation_id": passed.operation_of(options),
        "stage": 0 if options.get("canary") else None,
        **_approval(
            kind, options, count.value, _TypedCount(request.typed_count, acts_on), by_policy, is_proven
        ),
        "is_proven": is_proven,
        **scope,
    }


def _note_and_wake(operation_id: int, values: Mapping[str, Any]) -> None:
    """Note the operation in the transaction that made it, and wake a worker once that is committed."""
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


def _operation_of(request: OperationRequest, actor: str) -> Operation:
    operation = Operation.objects.get(request_key=request.key)
    if (operation.kind, operation.actor) != (request.kind, actor):
        raise OperationRefused(
            _("This form was already used for operation {pk} ({kind} by {actor}). Open it again.").format(
                pk=operation.pk, kind=operation.kind, actor=named(operation.actor)
            )
        )
    return operation


def _reason(reason: str) -> str:
    try:
        return checked_reason(reason)
    except InvalidInput as problem:
        raise OperationRefused(translated(problem)) from problem


def _approval(
    kind: Kind,
    options: Mapping[str, Any],
    item_count: int,
    typed_count: _TypedCount,
    by_policy: bool,
    is_proven: bool,
) -> dict[str, object]:
    """Return the columns of its approval: is one needed, and up to how many items may it run without."""
    if by_policy:
        return {"approval": str(Approval.NOT_NEEDED), "alone_up_to": approval.NOBODY_NEEDED}
    rule = approval.rule(kind, options, item_count)
    if rule != approval.NONE and not is_proven:
        raise OperationRefused(UNPROVEN.format(why=kind.why_approval(options)))
    if rule == approval.TYPED and typed_count.count is not None:
        if typed_count.count != typed_count.acts_on:
            raise OperationRefused(
                _("Type {acts_on:,} to show that you mean all of them.").format(acts_on=typed_count.acts_on)
            )
        return {"approval": str(Approval.GIVEN), "alone_up_to": item_count}
    return {"approval": str(Approval.NOT_NEEDED), "alone_up_to": approval.limit(kind, options)}
