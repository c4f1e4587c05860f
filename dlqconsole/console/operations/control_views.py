"""What is done with an operation that is there: let it wait, go on, stop it, approve it, take it back.

Each answers with the receipt, and says what came of it; asked too late, nothing is changed and it says so.
"""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dlqconsole.console.access.permissions import actor, operator_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.operations.forms import ApprovalForm, UndoForm
from dlqconsole.console.operations.views import get_operation
from dlqconsole.operations import controls, pacing, service
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.processing.inputs import InvalidInput


@operator_required
@require_POST
def pause(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Wait before the next page."""
    done = "Paused: what is done stays done, the rest waits until somebody resumes it."
    return _switch(request, operation_id, controls.pause, done, "It was not running; nothing was changed.")


@operator_required
@require_POST
def resume(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Go on with what was paused or halted."""
    return _switch(
        request, operation_id, controls.resume, "It goes on.", "It did not wait; nothing was changed."
    )


@operator_required
@require_POST
def cancellation(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Stop at the next page; what was done stays done."""
    done = "Cancelled: what was done stays done, the rest stays as it is."
    return _switch(request, operation_id, service.cancel, done, "It had already ended; nothing was changed.")


@operator_required
@require_POST
def full_speed(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Let nothing slow it from now on, whatever comes back."""
    done = "It goes on at full speed, however much comes back."
    too_late = "It was not slowed, or is over; nothing was changed."
    return _switch(request, operation_id, pacing.go_at_full_speed, done, too_late)


def _switch(
    request: HttpRequest,
    operation_id: int,
    change: Callable[[int, str], bool],
    done: str,
    too_late: str,
) -> HttpResponseBase:
    found = get_operation(operation_id, reach_of(request))
    if change(found.pk, actor(request)):
        messages.success(request, done)
    else:
        messages.info(request, too_late)
    return redirect("operation", found.pk)


@operator_required
@require_POST
def approval(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Let exactly the frozen selection be worked on."""
    found = get_operation(operation_id, reach_of(request))
    try:
        typed = ApprovalForm(request.POST).read()
        controls.approve(found.pk, actor(request), reach_of(request), typed["typed_count"])
    except (InvalidInput, OperationRefused) as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, f"Approved: {found.selected:,} items, exactly those that were selected.")
    return redirect("operation", found.pk)


@operator_required
@require_POST
def refusal(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """End what waits for approval; nothing of it is done."""
    found = get_operation(operation_id, reach_of(request))
    try:
        controls.refuse(found.pk, actor(request))
    except OperationRefused as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, "Refused: nothing was done.")
    return redirect("operation", found.pk)


@operator_required
@require_POST
def undo(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Take back what can still be taken back: an operation with a receipt of its own."""
    found = get_operation(operation_id, reach_of(request))
    try:
        typed = UndoForm(request.POST).read()
        reason = typed["reason"] or f"Takes back operation {found.pk}."
        made = controls.undo(found.pk, actor(request), reason, typed["request_key"], reach_of(request))
    except (InvalidInput, OperationRefused) as problem:
        messages.error(request, str(problem))
        return redirect("operation", found.pk)
    return redirect("operation", made.pk)
