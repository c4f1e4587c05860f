"""Actions on a queue: each shows its effect first, and asks for the reason."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dlqconsole.console.access.permissions import actor, asks_for
from dlqconsole.console.operations.confirmation import confirmation
from dlqconsole.console.operations.forms import RequestForm
from dlqconsole.console.operations.operation_intent import OperationIntent
from dlqconsole.console.operations.options_form import OptionsForm
from dlqconsole.console.operations.views import CONFIRM, CONFIRM_FORM
from dlqconsole.console.parts.responses import page
from dlqconsole.console.queues import actions, archive_retention
from dlqconsole.console.queues.actions import paused_words, why_not
from dlqconsole.console.queues.detail_views import check_known
from dlqconsole.console.queues.forms import ChangeForm, ConfirmForm
from dlqconsole.core.errors import InvalidQueue, UnknownQueue
from dlqconsole.engine.queues import archive
from dlqconsole.engine.queues import changes as queues
from dlqconsole.engine.queues import known as known_queues
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.purge_queue import PurgeQueue
from dlqconsole.operations.requests.scope import QueueMessages
from dlqconsole.transports import policies
from dlqconsole.transports.queue_overview import is_attached

# A person waits for the page; for more to shorten they click again, or use manage.py.
SECONDS = 10.0
_ACTS = {"pause": gettext_lazy("Pause"), "resume": gettext_lazy("Resume"), "drop": gettext_lazy("Drop")}

type Act = Callable[[dict[str, Any]], str]


@asks_for(actions.PAUSE)
@require_http_methods(["GET", "HEAD", "POST"])
def pause(request: HttpRequest, name: str) -> HttpResponseBase:
    """Stop all claims from it."""

    def act(who: dict[str, Any]) -> str:
        return paused_words(name) if policies.pause(name, **who) else _("It was paused already.")

    return _confirm(request, name, "pause", act)


@asks_for(actions.RESUME)
@require_http_methods(["GET", "HEAD", "POST"])
def resume(request: HttpRequest, name: str) -> HttpResponseBase:
    """Let consumers go on."""

    def act(who: dict[str, Any]) -> str:
        return (
            _("Consumers go on within seconds.") if policies.resume(name, **who) else _("Nothing held it up.")
        )

    return _confirm(request, name, "resume", act)


@asks_for(actions.PURGE)
@require_safe
def purge(request: HttpRequest, name: str) -> HttpResponseBase:
    """The preview of a purge; its confirmation requests an operation."""
    check_known(name)
    if refusal := why_not("purge", name):
        return _refuse(request, name, refusal)
    try:
        intent = OperationIntent(kinds.get(PurgeQueue.name), QueueMessages.now(name))
        form = RequestForm(intent, QueryDict(), is_sent=False)
        context = confirmation(intent, form, OptionsForm(intent.kind, {}, is_opened=True))
    except OperationRefused as problem:
        return _refuse(request, name, translated(problem))
    return page(request, CONFIRM, context, part=CONFIRM_FORM)


@asks_for(actions.DROP)
@require_http_methods(["GET", "HEAD", "POST"])
def drop(request: HttpRequest, name: str) -> HttpResponseBase:
    """Remove it; its dead letters stay."""

    def act(who: dict[str, Any]) -> str:
        queues.drop(name, **who)
        return _("The queue {name} is gone.").format(name=name)

    return _confirm(request, name, "drop", act)


@asks_for(actions.CHANGE)
@require_http_methods(["GET", "HEAD", "POST"])
def policy(request: HttpRequest, name: str) -> HttpResponseBase:
    """Change its policy; archived messages only if that was confirmed."""
    check_known(name)
    if refusal := why_not("change", name):
        return _refuse(request, name, refusal)
    form = ChangeForm.from_request(request, policy=queue_metrics.live_of(name)["policy"])
    plan = None
    if form.is_valid():
        try:
            plan = archive_retention.plan_of_form(name, form)
            if not form.errors:
                messages.success(request, _change(name, form, plan, actor(request)))
                return redirect("dlq:queue", name)
        except (InvalidQueue, UnknownQueue) as refusal:
            form.add_error(None, translated(refusal))
    context = {
        "name": name,
        "form": form,
        "plan": plan,
        "costs": archive_retention.cost_sentence(plan) if plan else "",
        "archives": archive.has_any(name),
    }
    return page(request, "console/queues/policy.html", context, status=form.status)


def _change(name: str, form: ChangeForm, plan: archive_retention.RetentionPlan | None, who: str) -> str:
    """Change the policy, then the archived messages; return a sentence about it."""
    why = {"actor": who, "reason": form.cleaned_data["reason"]}
    changes = queues.change(name, **why, **form.policy)
    sentence = _("Changed.") if changes else _("Nothing was changed: it is so already.")
    if plan is None or not plan.cost.messages:
        return f"{sentence} {archive_retention.unchanged_sentence(name, changes)}".strip()
    outcome = archive_retention.carry_out(name, plan, why, SECONDS)
    return f"{sentence} {outcome}" if changes else outcome


def _confirm(request: HttpRequest, name: str, kind: str, act: Act) -> HttpResponseBase:
    """Show the effect; a POST with a reason does it and goes back to the queue."""
    check_known(name)
    if refusal := why_not(kind, name):
        return _refuse(request, name, refusal)
    form = ConfirmForm.from_request(request)
    if form.is_valid():
        try:
            sentence = act({"actor": actor(request), "reason": form.cleaned_data["reason"]})
        except (InvalidQueue, UnknownQueue) as refusal:
            form.add_error(None, translated(refusal))
        else:
            messages.success(request, sentence)
            is_there = known_queues.is_known(name) or is_attached(name)
            return redirect("dlq:queue", name) if is_there else redirect("dlq:queues")
    context = {
        "kind": kind,
        "act": _ACTS[kind],
        "is_final": kind == "drop",
        "name": name,
        "form": form,
        "back_url": reverse("dlq:queue", args=[name]),
        "is_attached": is_attached(name),
        "standing": _figures_if_not_empty(name) if kind == "drop" else None,
    }
    return page(request, "console/queues/confirm.html", context, status=form.status)


def _figures_if_not_empty(name: str) -> dict[str, Any] | None:
    """The figures of a queue that has messages: it cannot be dropped."""
    standing = queue_metrics.live_of(name)
    return standing if standing["length"] else None


def _refuse(request: HttpRequest, name: str, refusal: str) -> HttpResponseBase:
    """Go back to the queue, whose button gives the same reason."""
    messages.error(request, _("Nothing was changed. {refusal}").format(refusal=translated(refusal)))
    return redirect("dlq:queue", name)
