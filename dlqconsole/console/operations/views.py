"""Operations: the confirm page, the request, the list, the receipt."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dlqconsole.console import errors
from dlqconsole.console.access import guard
from dlqconsole.console.access.permissions import (
    actor,
    can_operate,
    operator_required,
    require,
    role_of,
    viewer_required,
)
from dlqconsole.console.operations.approval_page import approval_page
from dlqconsole.console.operations.confirmation import confirmation
from dlqconsole.console.operations.forms import KeyForm, RequestForm
from dlqconsole.console.operations.list import operations_page
from dlqconsole.console.operations.operation_intent import NotUnderstood, OperationIntent, listed_as
from dlqconsole.console.operations.options_form import OptionsForm
from dlqconsole.console.operations.receipt_figures import late_figures, receipt_figures, timeline
from dlqconsole.console.operations.receipt_items import items_context, tabs
from dlqconsole.console.operations.receipt_state import receipt_state
from dlqconsole.console.operations.toasts import answer_request, stays_on_list, toast
from dlqconsole.console.parts.feature_cards import cards
from dlqconsole.console.parts.responses import page, wants_part
from dlqconsole.console.parts.shown_filter import ShownFilter, list_url, name_groups
from dlqconsole.console.parts.tables import pipeline_run_of
from dlqconsole.console.parts.visitors import names_visitors
from dlqconsole.engine.access_scope import asking_as, current_access
from dlqconsole.features import features
from dlqconsole.hosting.wording import translated
from dlqconsole.operations import visibility
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation
from dlqconsole.operations.receipts import files
from dlqconsole.operations.requests.service import request_operation
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import as_id

PAGE = 100
CONFIRM = "console/operations/confirm.html"
CONFIRM_FORM = "console/operations/confirm_form.html"


@operator_required
@require_POST
def confirm(request: HttpRequest) -> HttpResponseBase:
    """Show the effect before it happens; nothing is changed yet."""
    try:
        intent = OperationIntent.read(request.POST)
    except NotUnderstood as problem:
        return _refuse(request, translated(problem))
    options = OptionsForm(intent.kind, request.POST, is_opened="request_key" not in request.POST)
    return confirm_page(request, intent, RequestForm(intent, request.POST, is_sent=False), options)


def confirm_page(
    request: HttpRequest, intent: OperationIntent, form: RequestForm, options: OptionsForm
) -> HttpResponseBase:
    """The page, with the typed values and their errors."""
    context = confirmation(intent, form, options)
    context |= {"stays": stays_on_list(request, intent.kind), "me": actor(request)}
    context["feature_cards"] = cards("confirm", request, kind=intent.kind, scope=intent.scope)
    return page(request, CONFIRM, context, part=CONFIRM_FORM, status=max(form.status, options.status))


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def operations(request: HttpRequest) -> HttpResponseBase:
    """The list of operations; a POST requests a new one."""
    if request.method == "POST":
        require(request, "operator")
        return _create(request)
    before = as_id(request.GET.get("before", ""))
    # requests for this person's approval come first; viewers approve nothing
    approver = actor(request) if can_operate(request) and not before else ""
    context = operations_page(request.GET.get("status", ""), before, PAGE, approver)
    return page(request, "console/operations/list.html", context, part="console/operations/table.html")


def _create(request: HttpRequest) -> HttpResponseBase:
    """Make the operation and show its receipt; the same form sent twice leads to the same one."""
    try:
        intent, _key = OperationIntent.read(request.POST), KeyForm(request.POST).read()
    except (NotUnderstood, InvalidInput) as problem:
        return _refuse(request, translated(problem))
    form = RequestForm(intent, request.POST, is_sent=True)
    options = OptionsForm(intent.kind, request.POST)
    if form.is_valid() and options.is_valid():
        try:
            new = request_operation(form.request(options.chosen), actor=actor(request))
        except OperationRefused as problem:
            form.add_error(None, translated(problem))
        else:
            return answer_request(request, new)
    return confirm_page(request, intent, form, options)


def _refuse(request: HttpRequest, problem: str) -> HttpResponseBase:
    """Go back to the list with the form's filter; htmx gets the sentence alone."""
    if wants_part(request):
        return errors.sentence(problem, 422)
    messages.error(request, problem)
    shown_filter = ShownFilter.read(QueryDict(listed_as(request.POST) or ""), request)
    return redirect(list_url(shown_filter.address))


@viewer_required
@require_safe
@names_visitors
def operation(request: HttpRequest, operation_id: int) -> HttpResponse:
    """The receipt: the request, its progress, and the result of each item."""
    row = get_operation(operation_id)
    after = as_id(request.GET.get("after", "")) or 0
    with asking_as(visibility.within(row)):
        figures = receipt_figures(row)
        items = items_context(row, request.GET.get("items", ""), after, PAGE)
        feature_cards = cards("receipt", request, operation=row)
    context = {
        "operation": row,
        **items,
        "items_tabs": tabs(row, figures["fates"], items["items_tab"]),
        "timeline": [] if row.is_part else timeline(row.pk),
        "list_url": _later_arrivals_url(row),
        **receipt_downloads(request, row),
        **receipt_state(row, actor(request)),
        "actor_url": _actor_url(row),
        "pipeline_run": pipeline_run_of(row),
        # not for the polls of an open page
        **({} if "X-Live" in request.headers else approval_page(row)),
        **figures,
        **late_figures(row),
        "feature_cards": feature_cards,
        **_rights(row),
    }
    return page(request, "console/operations/receipt.html", context)


@viewer_required
@require_safe
def notice(request: HttpRequest, operation_id: int) -> HttpResponse:
    """The toast of an operation, as it stands now: it asks again until that is over."""
    return toast(request, get_operation(operation_id))


def _actor_url(operation: Operation) -> str:
    """The page of the standing rule that requested it, if it still exists and is visible."""
    pages = (feature.actor_address for feature in features() if feature.actor_address)
    return next(filter(None, (import_string(page)(operation.actor) for page in pages)), "")


def _rights(operation: Operation) -> dict[str, Any]:
    """The rights of a person who sees only a part: they decide nothing about it."""
    refusal = guard.PART.format(scope=current_access().words())
    return {"can_operate": False, "role_refusal": refusal} if operation.is_part else {}


def get_operation(operation_id: int) -> Operation:
    """The visible part of the operation, with its undo; 404 without any."""
    rows = visibility.operations().select_related("undone_by", "source_operation")
    operations = visibility.with_visible_numbers(rows.filter(pk=operation_id))
    if not operations:
        raise Http404(_("There is no operation {operation_id}.").format(operation_id=operation_id))
    name_groups(operations)
    return operations[0]


def _later_arrivals_url(operation: Operation) -> str:
    """The list of dead letters that match by now, or the queue."""
    if operation.queue:
        return reverse("dlq:queue", args=[operation.queue])
    return list_url(urlencode(operation.filter)) if operation.scope == "filter" else ""


def receipt_downloads(request: HttpRequest, operation: Operation) -> dict[str, Any]:
    """``items_csv_url``; of an export its ``file``, and ``download_url`` if this person may take it."""
    file = None if operation.is_part else files.export_file(operation)
    may = operation.actor == actor(request) or role_of(request) == "admin"
    there = file is not None and file.deleted_at is None
    return {
        "items_csv_url": reverse("dlq:operation_items", args=[operation.pk]),
        "file": file,
        "download_url": reverse("dlq:operation_export", args=[operation.pk]) if there and may else "",
    }
