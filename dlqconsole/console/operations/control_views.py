"""Controls of an operation: pause, resume, cancel, approve, undo it.

Each answers with the receipt and a sentence about the result; a control that comes too late changes nothing.
"""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dlqconsole.console import errors
from dlqconsole.console.access.permissions import actor, operator_required
from dlqconsole.console.operations.forms import ApprovalForm, ReasonForm, UndoForm
from dlqconsole.console.operations.toasts import toast
from dlqconsole.console.operations.views import get_operation
from dlqconsole.console.parts.responses import page, wants_part
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Status
from dlqconsole.operations.requests import controls, pace, service
from dlqconsole.processing.inputs import InvalidInput

_DID_NOT_WAIT = gettext_lazy("It did not wait; nothing was changed.")


@operator_required
@require_POST
def pause(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Wait before the next page."""
    text = _("Paused: what is done stays done, the rest waits until somebody resumes it.")
    return _switch(request, operation_id, controls.pause, text, _("It was not running; nothing was changed."))


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def resume(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Go on after a pause; after a halt for a reason, which a page asks for."""
    row = get_operation(operation_id)
    if row.status != Status.HALTED:
        if request.method != "POST":
            return redirect("dlq:operation", row.pk)
        return _switch(request, operation_id, controls.resume, _("It goes on."), _DID_NOT_WAIT)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        context = {"operation": row, "form": form}
        return page(request, "console/operations/resume.html", context, status=form.status)
    go_on = partial(controls.resume, reason=form.cleaned_data["reason"])
    return _switch(
        request,
        operation_id,
        go_on,
        _("It goes on with all {remaining:,}.").format(remaining=row.remaining),
        _DID_NOT_WAIT,
    )


@operator_required
@require_POST
def probe(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Begin a halted canary anew, with other probes."""
    text = _("It probes again: if they succeed, it goes on by itself.")
    return _switch(request, operation_id, controls.probe, text, _("It was not halted; nothing was changed."))


@operator_required
@require_POST
def cancellation(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Stop at the next page; finished items stay as they are."""
    text = _("Cancelled: what was done stays done, the rest stays as it is.")
    return _switch(
        request, operation_id, service.cancel, text, _("It had already ended; nothing was changed.")
    )


@operator_required
@require_POST
def full_speed(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Never slow it down any more, however many fail again."""
    text = _("Automatic slowing is ignored from now on.")
    too_late = _("It was not slowed, or is over; nothing was changed.")
    return _switch(request, operation_id, pace.go_at_full_speed, text, too_late)


def _switch(
    request: HttpRequest,
    operation_id: int,
    change: Callable[[int, str], bool],
    text: str,
    too_late: str,
) -> HttpResponseBase:
    row = get_operation(operation_id)
    if change(row.pk, actor(request)):
        messages.success(request, text)
    else:
        messages.info(request, too_late)
    return redirect("dlq:operation", row.pk)


@operator_required
@require_POST
def approval(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Approve exactly the frozen selection."""
    row = get_operation(operation_id)
    try:
        values = ApprovalForm(request.POST).read()
        controls.approve(row.pk, actor(request), values["typed_count"])
    except (InvalidInput, OperationRefused) as problem:
        messages.error(request, translated(problem))
    else:
        messages.success(
            request,
            _("Approved: {selected:,} items, exactly those that were selected.").format(
                selected=row.selected
            ),
        )
    return redirect("dlq:operation", row.pk)


@operator_required
@require_POST
def refusal(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Refuse an operation that waits for approval; it ends without doing anything."""
    row = get_operation(operation_id)
    try:
        controls.refuse(row.pk, actor(request))
    except OperationRefused as problem:
        messages.error(request, translated(problem))
    else:
        messages.success(request, _("Refused: nothing was done."))
    return redirect("dlq:operation", row.pk)


@operator_required
@require_POST
def undo(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Undo the part that can be undone: that is an operation with a receipt of its own."""
    row = get_operation(operation_id)
    try:
        values = UndoForm(request.POST).read()
        reason = values["reason"] or f"Takes back operation {row.pk}."
        reversal = controls.undo(row.pk, actor(request), reason, values["request_key"])
    except (InvalidInput, OperationRefused) as problem:
        if wants_part(request):
            return errors.sentence(translated(problem), 422)
        messages.error(request, translated(problem))
        return redirect("dlq:operation", row.pk)
    return toast(request, reversal) if wants_part(request) else redirect("dlq:operation", reversal.pk)
