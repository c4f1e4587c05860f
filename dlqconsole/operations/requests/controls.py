"""Controls of an existing operation: pause, resume, approve, refuse, undo."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.hosting.database import transaction
from dlqconsole.operations import kinds, visibility
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.undo import Undo
from dlqconsole.operations.models import OPEN, Approval, ItemStatus, Operation, Status
from dlqconsole.operations.requests import approval
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import ItemsOf
from dlqconsole.operations.requests.service import request_operation
from dlqconsole.operations.requests.workers import wake
from dlqconsole.operations.sql import sql
from dlqconsole.people.actors import account_of, answers_for
from dlqconsole.people.roles import CHANGERS, LATELY


def pause(operation_id: int, actor: str) -> bool:
    """Pause an operation before its next page. False when it is not running."""
    return bool(_control("controls.pause", operation_id, actor))


def resume(operation_id: int, actor: str, reason: str = "") -> bool:
    """Resume an operation; after a canary's halt without the canary, and only for a reason.

    False if it neither waits nor is halted. Raises OperationRefused.
    """
    if not reason and Operation.objects.filter(pk=operation_id, status=Status.HALTED).exists():
        raise OperationRefused(
            _("Say why operation {operation_id} goes on: its canary has halted it.").format(
                operation_id=operation_id
            )
        )
    return bool(_control("controls.resume", operation_id, actor, wakes=True, values={"reason": reason}))


def probe(operation_id: int, actor: str) -> bool:
    """Begin a halted canary anew, with other probes. False if it is not halted, or nothing remains."""
    return bool(_control("controls.probe", operation_id, actor, wakes=True))


def approve(operation_id: int, actor: str, typed_count: int | None = None, token: int | None = None) -> None:
    """Approve exactly the frozen selection. Raises OperationRefused with a sentence.

    ``token``: the number of the person's token, for the audit log; None: they are signed in.
    """
    require_whole(operation_id)
    operation = _waiting_for_approval(operation_id)
    if refusal := approval.why_not_approve(operation, actor):
        raise OperationRefused(refusal)
    if answers_for(operation.actor) == actor and typed_count != operation.selected:
        raise OperationRefused(
            _("Type {selected:,} to show that you mean all of them.").format(selected=operation.selected)
        )
    values = {"user_id": account_of(actor), "changers": list(CHANGERS), "lately": LATELY, "token": token}
    if not _control("controls.approve", operation_id, actor, wakes=True, values=values):
        raise OperationRefused(
            _("Operation {operation_id} no longer waits for approval: it was too late.").format(
                operation_id=operation_id
            )
        )


def require_whole(operation_id: int) -> None:
    """Require that the person sees all of an operation that they decide about. Raises OperationRefused."""
    some, whole = visibility.is_visible(operation_id)
    if not some:
        raise OperationRefused(_("There is no operation {operation_id}.").format(operation_id=operation_id))
    if not whole:
        raise OperationRefused(
            _(
                "Some of operation {operation_id} lies outside your scope ({words}): somebody who"
                " sees all of it has to decide."
            ).format(operation_id=operation_id, words=current_access().words())
        )


def refuse(operation_id: int, actor: str) -> None:
    """End an operation that waits for approval; nothing of it is done. Raises OperationRefused."""
    _waiting_for_approval(operation_id)
    if not _control("controls.refuse", operation_id, actor):
        raise OperationRefused(
            _("Operation {operation_id} no longer waits for approval: it was too late.").format(
                operation_id=operation_id
            )
        )


def undo(operation_id: int, actor: str, reason: str, request_key: UUID) -> Operation:
    """Request an operation that takes this one back, as far as that is still possible."""
    require_whole(operation_id)
    operation = _get(operation_id)
    if why := why_not_undone(operation):
        raise OperationRefused(why)
    scope, count = ItemsOf(operation.pk, ItemStatus.DONE), Count(operation.done)
    request = OperationRequest(Undo.name, scope, reason, seen=count, key=request_key)
    return request_operation(request, actor=actor)


def why_not_undone(operation: Operation) -> str:
    """The reason why the operation cannot be taken back, as a sentence; empty when it can."""
    kind = kinds.shown(operation.kind)
    if not kind.can_be_undone:
        return _("{title} cannot be taken back.").format(title=kind.title)
    if operation.status in OPEN:
        return _("Operation {pk} is not over: cancel it first, then take back what it did.").format(
            pk=operation.pk
        )
    if not operation.done:
        return _("Operation {pk} changed nothing: there is nothing to take back.").format(pk=operation.pk)
    if not operation.has_items:
        return _("The items of operation {pk} were kept long enough, and are gone.").format(pk=operation.pk)
    undone_by = operation.undone_by
    if undone_by is not None and (undone_by.status in OPEN or undone_by.status == Status.COMPLETED):
        return _("Operation {pk} takes it back already.").format(pk=undone_by.pk)
    return ""


def _waiting_for_approval(operation_id: int) -> Operation:
    operation = _get(operation_id)
    if operation.status != Status.AWAITING or operation.approval != Approval.NEEDED:
        raise OperationRefused(
            _("Operation {operation_id} does not wait for approval: it is {status}.").format(
                operation_id=operation_id, status=operation.status
            )
        )
    return operation


def _get(operation_id: int) -> Operation:
    operation = Operation.objects.select_related("undone_by").filter(pk=operation_id).first()
    if operation is None:
        raise OperationRefused(_("There is no operation {operation_id}.").format(operation_id=operation_id))
    return operation


def _control(
    query: str, operation_id: int, actor: str, *, wakes: bool = False, values: Mapping[str, Any] | None = None
) -> list[dict[str, object]]:
    """Change the operation's row by one compare-and-set, with its audit row; wake a worker if ``wakes``."""
    with transaction.atomic():
        rows = fetch_dicts(sql(query), {"id": operation_id, "actor": actor, **(values or {})})
        if rows and wakes:
            transaction.on_commit(lambda: wake(operation_id), robust=True)
    return rows
