"""What a person does to a queue: each says first what will happen, and asks why."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dlqconsole.console.access.permissions import actor, admin_required, operator_required
from dlqconsole.console.operations.asked_operation import LONGEST_REASON, NotUnderstood, read_reason
from dlqconsole.console.parts.responses import page
from dlqconsole.console.queues import text as queue_text
from dlqconsole.console.queues.confirmation import read_typed_count, standing_to_purge
from dlqconsole.console.queues.detail_views import check_known
from dlqconsole.console.queues.policy_form import fields, given
from dlqconsole.engine.errors import InvalidQueue, UnknownQueue
from dlqconsole.engine.queues import changes as queues
from dlqconsole.engine.queues import known as known_queues
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import purging

# A page is waited for; whoever has more to purge goes on with another click, or with manage.py queues purge.
SECONDS = 10.0

type Act = Callable[[str, dict[str, Any]], str]


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def pause(request: HttpRequest, name: str) -> HttpResponseBase:
    """Let nobody claim from it."""

    def act(name: str, who: dict[str, Any]) -> str:
        changed = queues.pause(name, **who)
        return (
            "Paused: what is in flight is finished, nothing more is claimed."
            if changed
            else "It was paused already."
        )

    return _confirmed(request, name, "pause", act)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def resume(request: HttpRequest, name: str) -> HttpResponseBase:
    """Let consumers go on."""

    def act(name: str, who: dict[str, Any]) -> str:
        return "Consumers go on within seconds." if queues.resume(name, **who) else "Nothing held it up."

    return _confirmed(request, name, "resume", act)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def purge(request: HttpRequest, name: str) -> HttpResponseBase:
    """Remove what waits on it."""

    def act(name: str, who: dict[str, Any]) -> str:
        expect = read_typed_count(request.POST)
        return queue_text.purged(purging.purge(name, **who, expect=expect, seconds=SECONDS)).capitalize()

    return _confirmed(request, name, "purge", act, standing_to_purge)


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def drop(request: HttpRequest, name: str) -> HttpResponseBase:
    """Remove it; its dead letters stay."""

    def act(name: str, who: dict[str, Any]) -> str:
        done = queues.drop(name, **who, force=request.POST.get("force") == "yes", seconds=SECONDS)
        purged = f", and {done.purged:,} messages with it" if done.purged else ""
        return f"The queue {name} is gone{purged}."

    return _confirmed(request, name, "drop", act, lambda name: {"standing": queue_metrics.live_of(name)})


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def policy(request: HttpRequest, name: str) -> HttpResponseBase:
    """Change how it treats its messages."""
    check_known(name)
    if request.method != "POST":
        return _policy_form(request, name, {})
    try:
        who = {"actor": actor(request), "reason": read_reason(request.POST)}
        changes = queues.change(name, **who, **given(request.POST))
    except (NotUnderstood, InvalidQueue, UnknownQueue) as problem:
        return _policy_form(request, name, request.POST, str(problem))
    messages.success(request, "Changed." if changes else "Nothing was changed: it is so already.")
    return redirect("queue", name)


def _policy_form(request: HttpRequest, name: str, typed: Any, problem: str = "") -> HttpResponse:
    context = {
        "name": name,
        "typed_name": "",
        "fields": fields(queue_metrics.live_of(name)["policy"], typed),
        "problem": problem,
        "reason": typed.get("reason", "")[:LONGEST_REASON],
    }
    return page(request, "console/queues/policy.html", context, part="", status=422 if problem else 200)


def _confirmed(
    request: HttpRequest,
    name: str,
    kind: str,
    act: Act,
    more: Callable[[str], dict[str, Any]] = lambda name: {},
) -> HttpResponseBase:
    """Show what would happen; a POST with a reason does it and goes back to the queue."""
    check_known(name)
    problem = ""
    if request.method == "POST":
        try:
            said = act(name, {"actor": actor(request), "reason": read_reason(request.POST)})
        except (NotUnderstood, InvalidQueue, UnknownQueue) as refusal:
            problem = str(refusal)
        else:
            messages.success(request, said)
            # a queue that nobody created is gone with its last message
            return redirect("queue", name) if known_queues.is_known(name) else redirect("queues")
    context = {
        "kind": kind,
        "name": name,
        "problem": problem,
        "reason": request.POST.get("reason", "")[:LONGEST_REASON],
        "back_url": reverse("queue", args=[name]),
        "standing": None,
        "purgeable": None,
    }
    status = 422 if problem else 200
    return page(request, "console/queues/confirm.html", context | more(name), part="", status=status)
