"""Operations: the confirm page, the click that makes one, the list, the receipt, the cancellation."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dlqconsole.console.access import actor, operator_required, require_operator, viewer_required
from dlqconsole.console.asked_operation import (
    LONGEST_REASON,
    AskedOperation,
    NotUnderstood,
    read_reason,
    read_request_key,
    read_seen,
)
from dlqconsole.console.confirmation import confirmation
from dlqconsole.console.operation_requests import request_asked
from dlqconsole.console.paging import number
from dlqconsole.console.receipt_figures import item_rows, receipt_figures, timeline
from dlqconsole.console.responses import page, wants_part
from dlqconsole.console.shown_filter import ShownFilter, list_url
from dlqconsole.console.tables import operation_rows
from dlqconsole.console.views import errors
from dlqconsole.operations import receipts, service
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import ItemStatus, Operation

PAGE = 100


@operator_required
@require_POST
def confirm(request: HttpRequest) -> HttpResponseBase:
    """Say what would happen, before it does; nothing is changed yet."""
    try:
        asked = AskedOperation.read(request.POST)
    except NotUnderstood as problem:
        return _refused(request, str(problem))
    return page(request, "console/operation_confirm.html", confirmation(asked), part="confirm")


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def operations(request: HttpRequest) -> HttpResponseBase:
    """The list of operations; a POST asks for a new one."""
    if request.method == "POST":
        require_operator(request)
        return _create(request)
    rows = Operation.objects.order_by("-id")
    if before := number(request.GET.get("before", "")):
        rows = rows.filter(pk__lt=before)
    found = list(rows[: PAGE + 1])
    next_url = f"{reverse('operations')}?before={found[PAGE - 1].pk}" if len(found) > PAGE else ""
    return page(
        request, "console/operations.html", {"operations": operation_rows(found[:PAGE]), "next_url": next_url}
    )


def _create(request: HttpRequest) -> HttpResponseBase:
    """Make the operation and show its receipt; the same form sent twice leads to the same one."""
    try:
        asked, key = AskedOperation.read(request.POST), read_request_key(request.POST)
    except NotUnderstood as problem:
        return _refused(request, str(problem))
    try:
        made = request_asked(
            asked, actor(request), read_reason(request.POST), key, read_seen(request.POST, asked)
        )
    except (NotUnderstood, OperationRefused) as problem:
        typed = {"errors": [str(problem)], "reason": request.POST.get("reason", "")[:LONGEST_REASON]}
        context = confirmation(asked, key) | typed
        return page(request, "console/operation_confirm.html", context, part="confirm", status=422)
    return redirect("operation", made.pk)


def _refused(request: HttpRequest, problem: str) -> HttpResponseBase:
    """Back to the list with the filter that the form carried; htmx gets the sentence alone."""
    if wants_part(request):
        return errors.sentence(problem, 422)
    messages.error(request, problem)
    carried = ShownFilter.read(QueryDict(request.POST.get("filter", "").removeprefix("?")))
    return redirect(list_url(carried.querystring))


@viewer_required
@require_safe
def operation(request: HttpRequest, operation_id: int) -> HttpResponse:
    """The receipt: what was asked, how far it is, what became of each."""
    found = _get(operation_id)
    after = number(request.GET.get("after", "")) or 0
    status = request.GET.get("items", "")
    chosen = status if status in ItemStatus.values else ""
    items = receipts.items(found.pk, after=after, status=chosen or None, limit=PAGE + 1)
    context = {
        "operation": found,
        "items": item_rows(items[:PAGE]),
        "items_status": chosen,
        "items_next_url": _items_url(found, items[:PAGE], chosen) if len(items) > PAGE else "",
        "timeline": timeline(found.pk),
        "list_url": list_url(urlencode(found.filter)) if found.scope == "filter" else "",
        "cancel_url": reverse("operation_cancel", args=[found.pk]),
        **receipt_figures(found),
    }
    return page(request, "console/operation.html", context, part="")


def _get(operation_id: int) -> Operation:
    found = Operation.objects.filter(pk=operation_id).first()
    if found is None:
        raise Http404(f"There is no operation {operation_id}.")
    return found


def _items_url(found: Operation, items: list[Any], chosen: str) -> str:
    values = {"after": items[-1].dead_letter_id} | ({"items": chosen} if chosen else {})
    return f"{reverse('operation', args=[found.pk])}?{urlencode(values)}"


@operator_required
@require_POST
def cancellation(request: HttpRequest, operation_id: int) -> HttpResponseBase:
    """Stop at the next page; what was done stays done."""
    found = _get(operation_id)
    if service.cancel(found.pk, actor(request)):
        messages.success(request, "Cancelled: what was done stays done, the rest stays as it is.")
    else:
        messages.info(request, "It had already ended; nothing was changed.")
    return redirect("operation", found.pk)
