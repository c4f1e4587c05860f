"""The toast of an operation that was asked for on the list: its progress, *Undo* and *Receipt*."""

from urllib.parse import urlsplit
from uuid import uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from dlqconsole.console.parts.responses import page, wants_part
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import LIVE, Operation
from dlqconsole.operations.requests import controls

# the list hears it, and shows itself anew
_OVER = "operation-over"


def stays_on_list(request: HttpRequest, kind: Kind) -> bool:
    """Tell whether who asks stays on the list: in its dialog, for what is over in a moment."""
    current = urlsplit(request.headers.get("HX-Current-URL", "")).path
    return kind.stays_on_list and wants_part(request) and current == reverse("dlq:dead_letters")


def answer_request(request: HttpRequest, operation: Operation) -> HttpResponse:
    """Answer a request for an operation: by its toast on the list, else by its receipt."""
    if not wants_part(request):
        return redirect("dlq:operation", operation.pk)
    response = toast(request, operation)
    response["HX-Retarget"], response["HX-Reswap"] = "#toasts", "beforeend"
    return response


def toast(request: HttpRequest, operation: Operation) -> HttpResponse:
    """The toast as it stands now."""
    kind = kinds.shown(operation.kind)
    is_live = operation.status in LIVE
    context = {
        "operation": operation,
        "kind": kind,
        "is_live": is_live,
        "can_be_undone": not controls.why_not_undone(operation),
        "request_key": uuid4(),
    }
    response = page(request, "console/operations/toast.html", context)
    if not is_live:
        response["HX-Trigger-After-Settle"] = _OVER
    return response
