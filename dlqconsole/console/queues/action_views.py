"""What a person does to a queue: each says first what will happen, and asks why."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dlqconsole.console.access.permissions import actor, admin_required, operator_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.operations.asked_operation import AskedOperation
from dlqconsole.console.operations.confirmation import confirmation
from dlqconsole.console.operations.forms import RequestForm
from dlqconsole.console.operations.options_form import OptionsForm
from dlqconsole.console.operations.views import CONFIRM
from dlqconsole.console.parts.responses import page
from dlqconsole.console.queues import archive_retention
from dlqconsole.console.queues.attached import why_not
from dlqconsole.console.queues.detail_views import check_known
from dlqconsole.console.queues.forms import ChangeForm, ConfirmForm
from dlqconsole.engine.errors import InvalidQueue, UnknownQueue
from dlqconsole.engine.queues import archived_messages
from dlqconsole.engine.queues import changes as queues
from dlqconsole.engine.queues import known as known_queues
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.purge_queue import PurgeQueue
from dlqconsole.operations.scope import QueueMessages

# A page is waited for; whoever has more to shorten goes on with another click, or with manage.py.
SECONDS = 10.0

type Act = Callable[[dict[str, Any]], str]


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def pause(request: HttpRequest, name: str) -> HttpResponseBase:
    """Let nobody claim from it."""

    def act(who: dict[str, Any]) -> str:
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

    def act(who: dict[str, Any]) -> str:
        return "Consumers go on within seconds." if queues.resume(name, **who) else "Nothing held it up."

    return _confirmed(request, name, "resume", act)


@operator_required
@require_safe
def purge(request: HttpRequest, name: str) -> HttpResponseBase:
    """What a purge would take; whoever confirms it asks for an operation."""
    check_known(name)
    if refusal := why_not("purge", name):
        return _refused(request, name, refusal)
    asked = AskedOperation(kinds.get(PurgeQueue.name), QueueMessages.now(name))
    reach, form = reach_of(request), RequestForm(asked, QueryDict(), is_sent=False)
    context = confirmation(asked, form, OptionsForm(asked.kind, {}, reach, is_opened=True), reach)
    return page(request, CONFIRM, context, part="confirm")


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def drop(request: HttpRequest, name: str) -> HttpResponseBase:
    """Remove it; its dead letters stay."""

    def act(who: dict[str, Any]) -> str:
        queues.drop(name, **who)
        return f"The queue {name} is gone."

    return _confirmed(request, name, "drop", act)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def policy(request: HttpRequest, name: str) -> HttpResponseBase:
    """Change how it treats its messages, and what is archived already only where that was confirmed."""
    check_known(name)
    if refusal := why_not("policy", name):
        return _refused(request, name, refusal)
    form = ChangeForm.from_request(request, policy=queue_metrics.live_of(name)["policy"])
    plan = None
    if form.is_valid():
        try:
            plan = archive_retention.asked_for(name, form)
            if not form.errors:
                messages.success(request, _change(name, form, plan, actor(request)))
                return redirect("queue", name)
        except (InvalidQueue, UnknownQueue) as refusal:
            form.add_error(None, str(refusal))
    context = {
        "name": name,
        "form": form,
        "plan": plan,
        "costs": archive_retention.what_it_costs(plan) if plan else "",
        "archives": archived_messages.has_any(name),
    }
    return page(request, "console/queues/policy.html", context, part="", status=form.status)


def _change(name: str, form: ChangeForm, plan: archive_retention.Plan | None, who: str) -> str:
    """Change the policy, then what is archived already; what was done."""
    why = {"actor": who, "reason": form.cleaned_data["reason"]}
    changes = queues.change(name, **why, **form.policy)
    said = "Changed." if changes else "Nothing was changed: it is so already."
    if plan is None or not plan.cost.messages:
        return f"{said} {archive_retention.what_stays(name, changes)}".strip()
    done = archive_retention.carry_out(name, plan, why, SECONDS)
    return f"{said} {done}" if changes else done


def _confirmed(request: HttpRequest, name: str, kind: str, act: Act) -> HttpResponseBase:
    """Show what would happen; a POST with a reason does it and goes back to the queue."""
    check_known(name)
    if refusal := why_not(kind, name):
        return _refused(request, name, refusal)
    form = ConfirmForm.from_request(request)
    if form.is_valid():
        try:
            said = act({"actor": actor(request), "reason": form.cleaned_data["reason"]})
        except (InvalidQueue, UnknownQueue) as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, said)
            return redirect("queue", name) if known_queues.is_known(name) else redirect("queues")
    context = {
        "kind": kind,
        "name": name,
        "form": form,
        "back_url": reverse("queue", args=[name]),
        "standing": _in_the_way(name) if kind == "drop" else None,
    }
    return page(request, "console/queues/confirm.html", context, part="", status=form.status)


def _in_the_way(name: str) -> dict[str, Any] | None:
    """The figures of a queue on which messages stand: it cannot be dropped."""
    standing = queue_metrics.live_of(name)
    return standing if standing["length"] else None


def _refused(request: HttpRequest, name: str, refusal: str) -> HttpResponseBase:
    """Back to the queue, whose button says the same."""
    messages.error(request, f"Nothing was changed. {refusal}")
    return redirect("queue", name)
