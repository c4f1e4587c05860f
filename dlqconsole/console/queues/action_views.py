"""What a person does to a queue: each says first what will happen, and asks why."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dlqconsole.console.access.permissions import actor, admin_required, operator_required
from dlqconsole.console.parts.responses import page
from dlqconsole.console.queues import shortening
from dlqconsole.console.queues import text as queue_text
from dlqconsole.console.queues.confirmation import standing_to_purge
from dlqconsole.console.queues.detail_views import check_known
from dlqconsole.console.queues.elsewhere import why_not
from dlqconsole.console.queues.forms import ChangeForm, ConfirmForm, DropForm, PurgeForm
from dlqconsole.engine.errors import InvalidQueue, UnknownQueue
from dlqconsole.engine.queues import archived_messages, purging
from dlqconsole.engine.queues import changes as queues
from dlqconsole.engine.queues import known as known_queues
from dlqconsole.engine.queues import metrics as queue_metrics

# A page is waited for; whoever has more to purge goes on with another click, or with manage.py queues purge.
SECONDS = 10.0

type Act = Callable[[dict[str, Any], Mapping[str, Any]], str]


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def pause(request: HttpRequest, name: str) -> HttpResponseBase:
    """Let nobody claim from it."""

    def act(who: dict[str, Any], typed: Mapping[str, Any]) -> str:
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

    def act(who: dict[str, Any], typed: Mapping[str, Any]) -> str:
        return "Consumers go on within seconds." if queues.resume(name, **who) else "Nothing held it up."

    return _confirmed(request, name, "resume", act)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def purge(request: HttpRequest, name: str) -> HttpResponseBase:
    """Remove what waits on it."""

    def act(who: dict[str, Any], typed: Mapping[str, Any]) -> str:
        done = purging.purge(name, **who, expect=typed["expected"], seconds=SECONDS)
        return queue_text.purged(done).capitalize()

    return _confirmed(request, name, "purge", act, PurgeForm)


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def drop(request: HttpRequest, name: str) -> HttpResponseBase:
    """Remove it; its dead letters stay."""

    def act(who: dict[str, Any], typed: Mapping[str, Any]) -> str:
        done = queues.drop(name, **who, force=typed["force"], seconds=SECONDS)
        purged = f", and {done.purged:,} messages with it" if done.purged else ""
        return f"The queue {name} is gone{purged}."

    return _confirmed(request, name, "drop", act, DropForm)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def policy(request: HttpRequest, name: str) -> HttpResponseBase:
    """Change how it treats its messages, and what is archived already only where that was confirmed."""
    check_known(name)
    if refusal := why_not("policy", name):
        return _refused(request, name, refusal)
    form = ChangeForm.posted(request, policy=queue_metrics.live_of(name)["policy"])
    plan = None
    if form.is_valid():
        try:
            plan = shortening.asked_for(name, form)
            if not form.errors:
                messages.success(request, _change(name, form, plan, actor(request)))
                return redirect("queue", name)
        except (InvalidQueue, UnknownQueue) as refusal:
            form.add_error(None, str(refusal))
    context = {
        "name": name,
        "form": form,
        "plan": plan,
        "costs": shortening.what_it_costs(plan) if plan else "",
        "archives": archived_messages.has_any(name),
    }
    return page(request, "console/queues/policy.html", context, part="", status=form.status)


def _change(name: str, form: ChangeForm, plan: shortening.Plan | None, who: str) -> str:
    """Change the policy, then what is archived already; what was done."""
    why = {"actor": who, "reason": form.cleaned_data["reason"]}
    changes = queues.change(name, **why, **form.policy)
    said = "Changed." if changes else "Nothing was changed: it is so already."
    if plan is None or not plan.cost.messages:
        return f"{said} {shortening.what_stays(name, changes)}".strip()
    done = shortening.carry_out(name, plan, why, SECONDS)
    return f"{said} {done}" if changes else done


def _confirmed(
    request: HttpRequest, name: str, kind: str, act: Act, form_class: type[ConfirmForm] = ConfirmForm
) -> HttpResponseBase:
    """Show what would happen; a POST with a reason does it and goes back to the queue."""
    check_known(name)
    if refusal := why_not(kind, name):
        return _refused(request, name, refusal)
    form = form_class.posted(request)
    if form.is_valid():
        try:
            said = act({"actor": actor(request), "reason": form.cleaned_data["reason"]}, form.cleaned_data)
        except (InvalidQueue, UnknownQueue) as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, said)
            # a queue that nobody created is gone with its last message
            return redirect("queue", name) if known_queues.is_known(name) else redirect("queues")
    context = {"kind": kind, "name": name, "form": form, "back_url": reverse("queue", args=[name])}
    context |= _standing(name, form)
    return page(request, "console/queues/confirm.html", context, part="", status=form.status)


def _refused(request: HttpRequest, name: str, refusal: str) -> HttpResponseBase:
    """Back to the queue, whose button says the same."""
    messages.error(request, f"Nothing was changed. {refusal}")
    return redirect("queue", name)


def _standing(name: str, form: ConfirmForm) -> dict[str, Any]:
    """What stands on the queue, where it would go."""
    if isinstance(form, PurgeForm):
        found = standing_to_purge(name)
        form.ask_for(found["purgeable"])
        return found
    is_drop = isinstance(form, DropForm)
    return {"standing": queue_metrics.live_of(name) if is_drop else None, "purgeable": None}
