"""The menu *Export* of the list: it asks for an operation, whose receipt has the file."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dlqconsole.console.access.permissions import actor, operator_required
from dlqconsole.console.operations.forms import KeyForm
from dlqconsole.console.operations.operation_intent import NotUnderstood, read_scope
from dlqconsole.console.parts.shown_filter import ShownFilter, list_url
from dlqconsole.hosting.wording import translated
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.export import Export
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import kept_words
from dlqconsole.operations.requests.service import request_operation
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import REASON_LIMIT


@operator_required
@require_POST
def export(request: HttpRequest) -> HttpResponseBase:
    """Export all that the list's filter matches, without a reason; a click twice is one operation."""
    try:
        scope, key = read_scope(request.POST), KeyForm(request.POST).read()["request_key"]
        reason = f"export of {kept_words(scope)}"[:REASON_LIMIT]
        options = {"format": request.POST.get("format", "")}
        operation_request = OperationRequest(Export.name, scope, reason, options, key=key)
        new = request_operation(operation_request, actor=actor(request))
    except (NotUnderstood, InvalidInput, OperationRefused) as problem:
        messages.error(request, translated(problem))
        search = ShownFilter.read(QueryDict(request.POST.get("filter", "").removeprefix("?")), request)
        return redirect(list_url(search.address))
    return redirect("dlq:operation", new.pk)
