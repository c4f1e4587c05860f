"""The breakers on the schedule's page, and an operator's actions: hold one, or resume it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dlqconsole.console.access.guard import UNLIMITED, require_unlimited
from dlqconsole.console.access.permissions import VIEWERS, actor, asks_for, can_operate
from dlqconsole.console.parts.breakers import visible_breakers
from dlqconsole.console.parts.responses import page
from dlqconsole.console.schedules.actions import HOLD_BREAKER, RESUME_BREAKER
from dlqconsole.console.schedules.forms import BreakerForm, HoldForm
from dlqconsole.core.errors import InvalidBreaker
from dlqconsole.core.flow.keys import type_key, words
from dlqconsole.engine import breakers
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.breakers import State
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.people.names import named
from dlqconsole.retries.clock import database_now

_PAGE = "console/schedules/breaker.html"
_ACTS = {"hold": gettext_lazy("Hold"), "resume": gettext_lazy("Resume")}


def panel(request: HttpRequest) -> dict[str, Any]:
    """The context for the schedule's page: breakers that are not closed, or held by a person."""
    access = current_access()
    why_not = "" if can_operate(request) else VIEWERS
    if not why_not and access.is_limited:
        why_not = UNLIMITED.format(scope=access.words())
    return {"breakers": [_row(state) for state in visible_breakers()], "why_not_breakers": why_not}


@asks_for(HOLD_BREAKER)
@require_http_methods(["GET", "HEAD", "POST"])
def hold(request: HttpRequest) -> HttpResponseBase:
    """Keep one open or closed until a time."""
    return _confirm(request, HoldForm, "hold", _hold)


@asks_for(RESUME_BREAKER)
@require_http_methods(["GET", "HEAD", "POST"])
def resume(request: HttpRequest) -> HttpResponseBase:
    """Close one, and stop holding it."""
    return _confirm(request, BreakerForm, "resume", _resume)


def _hold(form: BreakerForm, who: str) -> str:
    data = form.cleaned_data
    until = database_now() + data["until"] if isinstance(data["until"], timedelta) else data["until"]
    breakers.hold(data["key"], data["held"], until, who, data["reason"])
    return _("Held {held}: {key}.").format(held=data["held"], key=translated(words(data["key"])))


def _resume(form: BreakerForm, who: str) -> str:
    key = form.cleaned_data["key"]
    effect = breakers.resume(key, who, form.cleaned_data["reason"])
    return _("Its handlers run again within seconds.") if effect else _("Nothing stopped it.")


def _confirm(
    request: HttpRequest, kind: type[BreakerForm], verb: str, act: Callable[[BreakerForm, str], str]
) -> HttpResponseBase:
    """Show the effect; a POST with a reason does it."""
    require_unlimited()
    if request.method == "POST":
        form = kind(request.POST)
        if form.is_valid():
            try:
                messages.success(request, act(form, actor(request)))
            except InvalidBreaker as refusal:
                form.add_error(None, translated(refusal))
            else:
                return redirect("dlq:schedules")
    else:
        form = kind(initial={name: request.GET.get(name, "") for name in ("key", "held")})
    key = str(form["key"].value() or "")
    state = breakers.state_of(key) if key else None
    context = {
        "form": form,
        "verb": verb,
        "act": _ACTS[verb],
        "is_final": False,
        "back_url": reverse("dlq:schedules"),
        "key": key,
        "name": translated(words(key)),
        "said": _reason_sentence(state),
    }
    return page(request, _PAGE, context, status=form.status)


def _reason_sentence(state: State | None) -> str:
    return named(breakers.why(state)) if state else ""


def _row(state: State) -> dict[str, Any]:
    until: datetime | None = state.held_until if state.held else None
    return {
        "key": state.key,
        "name": state.name,
        "state": state.effective,
        "only_again": state.only_again and not state.held,
        "since": state.since,
        "said": _reason_sentence(state),
        "event_types": ", ".join(kind for kind in state.event_types if type_key(kind) != state.key),
        "until": until,
    }
