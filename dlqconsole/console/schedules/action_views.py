"""An operator's actions on the schedule: pause, resume, run now. Each shows its effect, and asks why."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dlqconsole.console.access.guard import require_unlimited
from dlqconsole.console.access.permissions import actor, asks_for, operator_required
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.console.parts.responses import page
from dlqconsole.console.schedules.actions import PAUSE, RESUME, RUN
from dlqconsole.console.schedules.forms import PauseForm, ResumeForm, RunNowForm, TakeOverForm
from dlqconsole.console.schedules.policy_views import check_within
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.people.names import named
from dlqconsole.retries import next_run, policies, takeover
from dlqconsole.retries.policies import PolicyScope, keeping, words
from dlqconsole.retries.policies.checks import InvalidPolicy
from dlqconsole.retries.why import OFF

_ACTS = {
    "run": gettext_lazy("Run now"),
    "take over": gettext_lazy("Take over"),
    "pause": gettext_lazy("Pause"),
    "resume": gettext_lazy("Resume"),
}


@asks_for(PAUSE)
@require_http_methods(["GET", "HEAD", "POST"])
def pause(request: HttpRequest) -> HttpResponseBase:
    """Stop the schedule for a scope."""
    form, scope = _read(request, PauseForm)
    if scope is not None and request.method == "POST" and form.is_valid():
        try:
            effect = keeping.pause(scope, until=form.cleaned_data["until"], **_who(request, form))
        except InvalidPolicy as refusal:
            for name, sentence in refusal.problems:
                form.add_error(name if name in form.fields else None, sentence)
        else:
            messages.success(
                request,
                _("Paused: {words}. Running ones finish.").format(words=translated(scope.words()))
                if effect
                else _("It was paused already."),
            )
            return redirect("dlq:schedules")
    return _confirm(request, form, scope, "pause")


@asks_for(RESUME)
@require_http_methods(["GET", "HEAD", "POST"])
def resume(request: HttpRequest) -> HttpResponseBase:
    """Let the schedule go on with a scope."""
    form, scope = _read(request, ResumeForm)
    if scope is not None and request.method == "POST" and form.is_valid():
        effect = keeping.resume(scope, **_who(request, form))
        messages.success(request, _resume_sentence(scope) if effect else _("Nothing had paused it."))
        return redirect("dlq:schedules")
    return _confirm(request, form, scope, "resume")


@asks_for(RUN)
@require_http_methods(["GET", "HEAD", "POST"])
def run_now(request: HttpRequest) -> HttpResponseBase:
    """Request a run. It takes due dead letters that may run; it changes no policy and no pause."""
    require_unlimited()
    form = RunNowForm.from_request(request)
    if form.is_valid():
        if not settings.DLQ_RETRY_ENABLED:
            form.add_error(None, OFF)
        else:
            next_run.request_run(**_who(request, form))
            next_run.wake()
            messages.success(
                request, _("A run begins as soon as a worker is free: within seconds, most often.")
            )
            return redirect("dlq:schedules")
    return _page(request, form, "run")


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def take_over(request: HttpRequest) -> HttpResponseBase:
    """End the run of a dead worker. Refused while its lock is valid."""
    require_unlimited()
    form = TakeOverForm.from_request(request)
    if form.is_valid():
        try:
            run = takeover.take_over(**_who(request, form))
        except takeover.TakeOverRefused as refusal:
            form.add_error(None, translated(refusal))
        else:
            messages.success(
                request, _("Run {run} is taken over: the next begins at the next tick.").format(run=run)
            )
            return redirect("dlq:schedules")
    return _page(request, form, "take over", refusal=takeover.takeover_state().refusal)


def _read(request: HttpRequest, form_class: type[PauseForm]) -> tuple[PauseForm, PolicyScope | None]:
    """The form, and its scope; None if that is missing or cannot be paused."""
    is_scoped = "choose" not in request.GET
    if request.method != "POST" and not is_scoped:
        return form_class(is_scoped=False), None
    form = form_class(request.POST if request.method == "POST" else request.GET, is_scoped=is_scoped)
    form.is_valid()
    if any(name in form.errors for name in ("event_type", "group")):
        return form, None
    scope = form.scope
    check_within(scope)
    if request.method != "POST":
        # as first opened: empty fields are no errors yet
        form = form_class(initial={name: request.GET.get(name, "") for name in form.fields})
    return form, scope


def _resume_sentence(scope: PolicyScope) -> str:
    current = policies.read()
    block = current.of_scope(scope).block_reason(current.now)
    if block is None:
        return f"Resumed: {translated(scope.words())}."
    return named(
        _("Resumed: {words}. And yet it waits: {block}.").format(
            words=translated(scope.words()), block=words.block_words(block)
        )
    )


def _who(request: HttpRequest, form: Any) -> dict[str, str]:
    return {"actor": actor(request), "reason": form.cleaned_data["reason"]}


def _confirm(request: HttpRequest, form: PauseForm, scope: PolicyScope | None, verb: str) -> HttpResponseBase:
    return _page(request, form, verb, words=translated(scope.words()) if scope else "")


def _page(request: HttpRequest, form: ConsoleForm, verb: str, **more: Any) -> HttpResponseBase:
    context = {
        "form": form,
        "verb": verb,
        "act": _ACTS[verb],
        "is_final": False,
        "back_url": reverse("dlq:schedules"),
    }
    return page(request, "console/schedules/confirm.html", context | more, status=form.status)
