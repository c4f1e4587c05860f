"""Playbooks: the list, one with its dry run and history, the form, and its actions."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dlqconsole.console.access.permissions import actor, asks_for, operator_required
from dlqconsole.console.parts.responses import page
from dlqconsole.contrib.playbooks import service
from dlqconsole.contrib.playbooks.definition import PlaybookRefused, UnknownPlaybook, check
from dlqconsole.contrib.playbooks.dry_run import DryRun, draft, dry_run
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.pages.forms import PlaybookActionForm, PlaybookForm, operation_options
from dlqconsole.contrib.playbooks.pages.page import lines, run_row, whole
from dlqconsole.contrib.playbooks.service import ENABLE, LIST, SHOW, PlaybookAuthor
from dlqconsole.contrib.playbooks.triggers.breaker import known_keys
from dlqconsole.engine.gate import Shown
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.processing.inputs.plain_text import quoted

_VERBS = {
    "enable": gettext_lazy("Switch on"),
    "disable": gettext_lazy("Switch off"),
    "resume": gettext_lazy("Resume"),
    "delete": gettext_lazy("Delete"),
}

type Act = Callable[[int, PlaybookAuthor], str]


@asks_for(LIST)
@require_safe
def playbooks(request: HttpRequest) -> HttpResponse:
    """The visible playbooks: those that need a look first."""
    return page(request, "playbooks/list.html", {"playbooks": lines()}, part="playbooks/table.html")


@asks_for(SHOW)
@require_safe
def playbook(request: HttpRequest, playbook_id: int) -> HttpResponse:
    """One playbook: its definition, a dry run, and its history."""
    row = _get(playbook_id)
    context = {**whole(row), "run": run_row(dry_run(row))}
    return page(request, "playbooks/playbook.html", context)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponseBase:
    """Write one: try it, then save it. ``?filter=`` is the filter of the list or of the group."""
    return _write(request, None)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, playbook_id: int) -> HttpResponseBase:
    """Change one; the person who saves the change is responsible for it from then on."""
    return _write(request, _get(playbook_id))


@asks_for(ENABLE)
@require_http_methods(["GET", "HEAD", "POST"])
def switch(request: HttpRequest, playbook_id: int) -> HttpResponseBase:
    """Switch it on or off."""
    row = _get(playbook_id)
    verb = "disable" if row.enabled else "enable"

    def act(version: int, who: PlaybookAuthor) -> str:
        service.switch(playbook_id, version, verb == "enable", who)
        return (
            _("It acts by itself from now on, for you.")
            if verb == "enable"
            else _("It does nothing any more.")
        )

    return _confirm(request, row, verb, act)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def go_on(request: HttpRequest, playbook_id: int) -> HttpResponseBase:
    """Resume it after a person has looked."""

    def act(version: int, who: PlaybookAuthor) -> str:
        service.go_on(playbook_id, version, who)
        return _("It goes on, for you.")

    return _confirm(request, _get(playbook_id), "resume", act)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, playbook_id: int) -> HttpResponseBase:
    """Remove one that is off; its operations stay."""

    def act(version: int, who: PlaybookAuthor) -> str:
        service.delete(playbook_id, version, who)
        return _("Playbook {playbook_id} is gone. Its operations and their receipts stay.").format(
            playbook_id=playbook_id
        )

    return _confirm(request, _get(playbook_id), "delete", act)


def _write(request: HttpRequest, row: Playbook | None) -> HttpResponseBase:
    """Try or save the form's playbook; the form shows its errors."""
    kind = _kind(request, row)
    data = request.POST if request.method == "POST" else None
    form = PlaybookForm(data, row=row, filter=Shown(request.GET.get("filter", "")[:4_000]))
    options = operation_options(kind, data, row)
    run: DryRun | None = None
    if form.is_valid() and options.is_valid():
        try:
            values = form.playbook_values(kind, options.chosen)
            if not form.is_trial:
                return _lead_to(request, _keep(request, row, form, values))
            run = _try(request, values)
        except PlaybookRefused as refusal:
            form.refuse(refusal)
    context = {
        "playbook": row,
        "form": form,
        "options": options,
        "kind": kind,
        "kinds": kinds.for_standing_rules(),
        "keys": known_keys(),
        "back_url": reverse("dlq:playbook", args=[row.pk]) if row else reverse("dlq:playbooks"),
        "run": run and run_row(run),
        "all_fields": {"problems": [*form.problems, *options.problems]},
    }
    status = max(form.status, options.status)
    return page(request, "playbooks/form.html", context, status=status)


def _kind(request: HttpRequest, row: Playbook | None) -> Kind:
    """The kind of its operations: as the form, or the address, names it; else as stored, or the first.

    Raises Http404 for an unknown name: another kind would not be the requested one.
    """
    kinds_by_name = {kind.name: kind for kind in kinds.for_standing_rules()}
    name = request.POST.get("kind") or request.GET.get("kind")
    if name and name not in kinds_by_name:
        raise Http404(
            _("A playbook asks for {names}; not for {name}.").format(
                names=", ".join(kinds_by_name), name=quoted(name, 60)
            )
        )
    return kinds_by_name.get(name or (row.kind if row else "")) or next(iter(kinds_by_name.values()))


def _try(request: HttpRequest, values: dict[str, Any]) -> DryRun:
    """Run it as if it were saved: nothing is."""
    return dry_run(draft(check(values), actor(request)))


def _keep(request: HttpRequest, row: Playbook | None, form: PlaybookForm, values: dict[str, Any]) -> int:
    who = _who(request, form.cleaned_data["reason"])
    if row is None:
        return service.add(values, who).pk
    return service.change(row.pk, form.cleaned_data["version"], values, who).pk


def _lead_to(request: HttpRequest, playbook_id: int) -> HttpResponseBase:
    messages.success(request, _("Kept. It acts by itself from now on, for you, and tells here what it did."))
    return redirect("dlq:playbook", playbook_id)


def _confirm(request: HttpRequest, row: Playbook, verb: str, act: Act) -> HttpResponseBase:
    form = PlaybookActionForm.from_request(request, initial={"version": row.version})
    if form.is_valid():
        try:
            sentence = act(form.cleaned_data["version"], _who(request, form.cleaned_data["reason"]))
        except PlaybookRefused as refusal:
            form.add_error(None, translated(refusal))
        else:
            messages.success(request, sentence)
            return redirect("dlq:playbooks") if verb == "delete" else redirect("dlq:playbook", row.pk)
    context = {
        "playbook": row,
        "verb": verb,
        "act": _VERBS[verb],
        "is_final": verb == "delete",
        "back_url": reverse("dlq:playbook", args=[row.pk]),
        "form": form,
    }
    return page(request, "playbooks/confirm.html", context, status=form.status)


def _who(request: HttpRequest, reason: str) -> PlaybookAuthor:
    return PlaybookAuthor(actor(request), reason)


def _get(playbook_id: int) -> Playbook:
    try:
        return service.get(playbook_id)
    except UnknownPlaybook as unknown:
        raise Http404(str(unknown)) from unknown
