"""Playbooks: the list, one with its dry run and history, the form, and what a person does to it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dlqconsole.console.access.permissions import actor, operator_required, viewer_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.parts.responses import page
from dlqconsole.console.playbooks.forms import PlaybookActionForm, PlaybookForm, operation_options
from dlqconsole.console.playbooks.page import lines, shown_run, whole
from dlqconsole.engine.gate import Shown
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.playbooks import service
from dlqconsole.playbooks.definition import check
from dlqconsole.playbooks.dry_run import DryRun, draft, dry_run
from dlqconsole.playbooks.errors import PlaybookRefused, UnknownPlaybook
from dlqconsole.playbooks.models import Playbook
from dlqconsole.playbooks.service import PlaybookAuthor
from dlqconsole.playbooks.triggers.open_breakers import known_keys
from dlqconsole.processing.inputs.plain_text import quoted

_VERBS = {"enable": "Switch on", "disable": "Switch off", "resume": "Let it go on", "delete": "Delete"}

type Act = Callable[[int, PlaybookAuthor], str]


@viewer_required
@require_safe
def playbooks(request: HttpRequest) -> HttpResponse:
    """All that are seen: those that need a look first."""
    return page(request, "console/playbooks/list.html", {"playbooks": lines(reach_of(request))}, part="live")


@viewer_required
@require_safe
def playbook(request: HttpRequest, playbook_id: int) -> HttpResponse:
    """One: what it is, what it would do now, what it did and did not."""
    row = _get(playbook_id)
    context = {**whole(row, reach_of(request)), "run": shown_run(dry_run(row, reach_of(request)))}
    return page(request, "console/playbooks/playbook.html", context, part="")


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponseBase:
    """Write one: try it, then keep it. ``?filter=`` is what the list, or a group, was showing."""
    return _written(request, None)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, playbook_id: int) -> HttpResponseBase:
    """Change one; whoever keeps the change answers for it from then on."""
    return _written(request, _get(playbook_id))


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def switch(request: HttpRequest, playbook_id: int) -> HttpResponseBase:
    """Let it act by itself, or no longer."""
    row = _get(playbook_id)
    verb = "disable" if row.enabled else "enable"

    def act(version: int, who: PlaybookAuthor) -> str:
        service.switch(playbook_id, version, verb == "enable", who)
        return "It acts by itself from now on, for you." if verb == "enable" else "It does nothing any more."

    return _confirmed(request, row, verb, act)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def go_on(request: HttpRequest, playbook_id: int) -> HttpResponseBase:
    """Somebody has looked: it may act again."""

    def act(version: int, who: PlaybookAuthor) -> str:
        service.go_on(playbook_id, version, who)
        return "It goes on, for you."

    return _confirmed(request, _get(playbook_id), "resume", act)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, playbook_id: int) -> HttpResponseBase:
    """Remove one that is off; its operations stay."""

    def act(version: int, who: PlaybookAuthor) -> str:
        service.delete(playbook_id, version, who)
        return f"Playbook {playbook_id} is gone. Its operations and their receipts stay."

    return _confirmed(request, _get(playbook_id), "delete", act)


def _written(request: HttpRequest, row: Playbook | None) -> HttpResponseBase:
    """Try or keep what the form holds; what is wrong with it is shown in it."""
    kind = _kind(request, row)
    posted, reach = (request.POST if request.method == "POST" else None), reach_of(request)
    form = PlaybookForm(posted, reach=reach, row=row, filter=Shown(request.GET.get("filter", "")[:4_000]))
    options = operation_options(kind, posted, row, reach)
    tried: DryRun | None = None
    if form.is_valid() and options.is_valid():
        try:
            given = form.given(kind, options.chosen)
            if not form.is_trial:
                return _saved(request, _keep(request, row, form, given))
            tried = _try(request, given)
        except PlaybookRefused as refusal:
            form.refuse(refusal)
    context = {
        "playbook": row,
        "form": form,
        "options": options,
        "kind": kind,
        "kinds": kinds.for_playbooks(),
        "keys": known_keys(reach),
        "back_url": reverse("playbook", args=[row.pk]) if row else reverse("playbooks"),
        "run": tried and shown_run(tried),
        "problems": [*form.problems, *options.problems],
    }
    status = max(form.status, options.status)
    return page(request, "console/playbooks/form.html", context, part="", status=status)


def _kind(request: HttpRequest, row: Playbook | None) -> Kind:
    """The kind of its operations: as the form, or the address, names it; else as it is, or the first.

    Raises Http404 for a name that is none of them: another kind is not what was asked for.
    """
    known = {kind.name: kind for kind in kinds.for_playbooks()}
    asked = request.POST.get("kind") or request.GET.get("kind")
    if asked and asked not in known:
        raise Http404(f"A playbook asks for {', '.join(known)}; not for {quoted(asked, 60)}.")
    return known.get(asked or (row.kind if row else "")) or next(iter(known.values()))


def _try(request: HttpRequest, given: dict[str, Any]) -> DryRun:
    """As if it were kept: nothing is."""
    reach = reach_of(request)
    return dry_run(draft(check(given, reach), actor(request)), reach)


def _keep(request: HttpRequest, row: Playbook | None, form: PlaybookForm, given: dict[str, Any]) -> int:
    who = _who(request, form.cleaned_data["reason"])
    if row is None:
        return service.add(given, who).pk
    return service.change(row.pk, form.cleaned_data["version"], given, who).pk


def _saved(request: HttpRequest, playbook_id: int) -> HttpResponseBase:
    messages.success(request, "Kept. It acts by itself from now on, for you, and tells here what it did.")
    return redirect("playbook", playbook_id)


def _confirmed(request: HttpRequest, row: Playbook, verb: str, act: Act) -> HttpResponseBase:
    form = PlaybookActionForm.posted(request, initial={"version": row.version})
    if form.is_valid():
        try:
            said = act(form.cleaned_data["version"], _who(request, form.cleaned_data["reason"]))
        except PlaybookRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, said)
            return redirect("playbooks") if verb == "delete" else redirect("playbook", row.pk)
    context = {"playbook": row, "verb": verb, "label": _VERBS[verb], "form": form}
    return page(request, "console/playbooks/confirm.html", context, part="", status=form.status)


def _who(request: HttpRequest, reason: str) -> PlaybookAuthor:
    return PlaybookAuthor(actor(request), reason, reach_of(request))


def _get(playbook_id: int) -> Playbook:
    try:
        return service.get(playbook_id)
    except UnknownPlaybook as unknown:
        raise Http404(str(unknown)) from unknown
