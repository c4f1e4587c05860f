"""Queues: what stands on each, how the database is, and making another."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from dlqconsole.console.access.permissions import actor, operator_required, viewer_required
from dlqconsole.console.operations.asked_operation import NotUnderstood, read_reason
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.tables import attached_rows, queue_rows
from dlqconsole.console.queues.policy_form import fields, given
from dlqconsole.engine.database import health as database_health
from dlqconsole.engine.errors import InvalidQueue
from dlqconsole.engine.queues import changes as service
from dlqconsole.engine.queues import policy as queue_policy


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
    return page(request, "console/queues/list.html", context, part="live")


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
    return page(request, "console/queues/policy.html", context, part="", status=422 if problem else 200)
