"""Queues: what stands on each, how the database is, and making another."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from dlqconsole.console.access import actor, operator_required, viewer_required
from dlqconsole.console.asked_operation import NotUnderstood, read_reason
from dlqconsole.console.policy_form import fields, given
from dlqconsole.console.responses import page
from dlqconsole.console.tables import attached_rows, queue_rows
from dlqconsole.engine import database_health, queue_policy
from dlqconsole.engine import queues as service
from dlqconsole.engine.errors import InvalidQueue


@viewer_required
@require_safe
def queues(request: HttpRequest) -> HttpResponse:
    """Every queue's messages and dead letters."""
    attached = attached_rows()
    elsewhere = {row["name"] for row in attached}
    context = {
        "queues": [row for row in queue_rows() if row["name"] not in elsewhere],
        "attached": attached,
        "health": database_health.health(),
    }
    return page(request, "console/queues.html", context, part="live")


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponseBase:
    """The form for another queue; a POST makes it."""
    if request.method != "POST":
        return _form(request, {})
    name = request.POST.get("name", "").strip()
    try:
        reason = read_reason(request.POST)
        service.create(name, actor=actor(request), reason=reason, **given(request.POST))
    except (NotUnderstood, InvalidQueue) as problem:
        return _form(request, request.POST, str(problem))
    return redirect("queue", name)


def _form(request: HttpRequest, typed: Any, problem: str = "") -> HttpResponse:
    context = {
        "name": "",
        "typed_name": typed.get("name", "")[:200],
        "fields": fields(queue_policy.DEFAULTS, typed),
        "problem": problem,
        "reason": typed.get("reason", "")[:2000],
    }
    return page(request, "console/queue_policy.html", context, part="", status=422 if problem else 200)
