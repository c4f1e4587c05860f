"""Operations: the confirm page, the click that makes one, the list, the receipt."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dlqconsole.console.access import guard
from dlqconsole.console.access.permissions import (
    actor,
    can_operate,
    operator_required,
    require_operator,
    viewer_required,
)
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.errors import views as errors
from dlqconsole.console.operations.approval_page import approval_page
from dlqconsole.console.operations.asked_operation import AskedOperation, NotUnderstood
from dlqconsole.console.operations.confirmation import confirmation
from dlqconsole.console.operations.forms import KeyForm, RequestForm
from dlqconsole.console.operations.list import shown_operations
from dlqconsole.console.operations.options_form import OptionsForm
from dlqconsole.console.operations.receipt_downloads import receipt_downloads
from dlqconsole.console.operations.receipt_figures import items_page, receipt_figures, timeline
from dlqconsole.console.operations.receipt_state import receipt_state
from dlqconsole.console.operations.rehearsal_figures import rehearsal_figures
from dlqconsole.console.parts.group_names import name_groups
from dlqconsole.console.parts.responses import page, wants_part
from dlqconsole.console.parts.shown_filter import ShownFilter, list_url
from dlqconsole.console.parts.tables import pipeline_run_of
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import visibility
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import ItemStatus, Operation
from dlqconsole.operations.service import request_operation
from dlqconsole.playbooks import visibility as playbook_visibility
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import as_id

PAGE = 100
CONFIRM = "console/operations/confirm.html"


@operator_required
@require_POST
def confirm(request: HttpRequest) -> HttpResponseBase:
    """Say what would happen, before it does; nothing is changed yet."""
    try:
        asked = AskedOperation.read(request.POST)
    except NotUnderstood as problem:
        return _refused(request, str(problem))
    options = OptionsForm(
        asked.kind, request.POST, reach_of(request), is_opened="request_key" not in request.POST
    )
    return confirm_page(request, asked, RequestForm(asked, request.POST, is_sent=False), options)


def confirm_page(
    request: HttpRequest, asked: AskedOperation, form: RequestForm, options: OptionsForm
) -> HttpResponseBase:
    """The page, with what was typed and what is wrong with it."""
    context = confirmation(asked, form, options, reach_of(request))
    return page(request, CONFIRM, context, part="confirm", status=max(form.status, options.status))


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def operations(request: HttpRequest) -> HttpResponseBase:
    """The list of operations; a POST asks for a new one."""
    if request.method == "POST":
        require_operator(request)
        return _create(request)
    before = as_id(request.GET.get("before", ""))
    # what waits for oneself comes first; nobody who may only look is waited for
    approver = actor(request) if can_operate(request) and not before else ""
    context = shown_operations(request.GET.get("status", ""), before, PAGE, approver, reach_of(request))
    return page(request, "console/operations/list.html", context)


def _create(request: HttpRequest) -> HttpResponseBase:
    """Make the operation and show its receipt; the same form sent twice leads to the same one."""
    try:
        asked, _key = AskedOperation.read(request.POST), KeyForm(request.POST).read()
    except (NotUnderstood, InvalidInput) as problem:
        return _refused(request, str(problem))
    form = RequestForm(asked, request.POST, is_sent=True)
    options = OptionsForm(asked.kind, request.POST, reach_of(request))
    if form.is_valid() and options.is_valid():
        try:
            made = request_operation(form.request(options.chosen, reach_of(request)), actor=actor(request))
        except OperationRefused as problem:
            form.add_error(None, str(problem))
        else:
            return redirect("operation", made.pk)
    return confirm_page(request, asked, form, options)


def _refused(request: HttpRequest, problem: str) -> HttpResponseBase:
    """Back to the list with the filter that the form carried; htmx gets the sentence alone."""
    if wants_part(request):
        return errors.sentence(problem, 422)
    messages.error(request, problem)
    carried = ShownFilter.read(QueryDict(request.POST.get("filter", "").removeprefix("?")), request)
    return redirect(list_url(carried.querystring))


@viewer_required
@require_safe
def operation(request: HttpRequest, operation_id: int) -> HttpResponse:
    """The receipt: what was asked, how far it is, what became of each."""
    reach = reach_of(request)
    found = get_operation(operation_id, reach)
    within = visibility.within(found, reach)
    after = as_id(request.GET.get("after", "")) or 0
    status = request.GET.get("items", "")
    chosen = status if status in ItemStatus.values else ""
    items = items_page(found, within, after, chosen, PAGE)
    figures = receipt_figures(found, within)
    context = {
        "operation": found,
        "items": items.rows,
        "items_status": chosen,
        "items_next_url": _items_url(found, items.next, chosen) if items.next is not None else "",
        "timeline": [] if found.is_part else timeline(found.pk),
        "list_url": _where_later_ones_are(found),
        **receipt_downloads(request, found),
        **receipt_state(found, actor(request)),
        "playbook_url": _playbook_url(found, reach),
        "pipeline_run": pipeline_run_of(found, reach),
        "has_messages": any(item.message_id for item in items.rows),
        # not every few seconds anew, when the page is asked what has changed
        **({} if "X-Live" in request.headers else approval_page(found)),
        **figures,
        **rehearsal_figures(found, within, figures["outcomes"]),
        **_rights(found, reach),
    }
    return page(request, "console/operations/receipt.html", context, part="")


def _playbook_url(found: Operation, reach: Reach) -> str:
    """The standing rule that asked for it, where it is still there and seen."""
    number = playbook_visibility.playbook_of(found.actor)
    return (
        reverse("playbook", args=[number])
        if number is not None and playbook_visibility.exists(number, reach)
        else ""
    )


def _rights(found: Operation, reach: Reach) -> dict[str, Any]:
    """Who sees a part of it decides nothing about it."""
    refusal = guard.PART.format(reach=reach.words())
    return {"can_operate": False, "role_refusal": refusal} if found.is_part else {}


def get_operation(operation_id: int, reach: Reach) -> Operation:
    """What is seen of the operation, with what took it back; a page that is not there otherwise."""
    rows = visibility.operations(reach).select_related("undone_by", "source_operation")
    found = visibility.with_visible_numbers(rows.filter(pk=operation_id), reach)
    if not found:
        raise Http404(f"There is no operation {operation_id}.")
    name_groups(found, reach)
    return found[0]


def _where_later_ones_are(found: Operation) -> str:
    """What matches by now, or stands on the queue."""
    if found.queue:
        return reverse("queue", args=[found.queue])
    return list_url(urlencode(found.filter)) if found.scope == "filter" else ""


def _items_url(found: Operation, after: int, chosen: str) -> str:
    values: dict[str, Any] = {"after": after} | ({"items": chosen} if chosen else {})
    return f"{reverse('operation', args=[found.pk])}?{urlencode(values)}"
