"""Failure rules: the list, one rule with its trial, and an administrator's changes."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dlqconsole.console.access.guard import require_unlimited
from dlqconsole.console.access.permissions import (
    actor,
    admin_required,
    require,
    role_of,
    viewer_required,
)
from dlqconsole.console.parts.responses import page
from dlqconsole.console.rules.forms import (
    RuleActionForm,
    RuleForm,
    RulePlaceForm,
    affected_filter,
    list_lines,
    refuse,
)
from dlqconsole.core.errors import InvalidRule
from dlqconsole.engine.groups.rules import RULES, attempt
from dlqconsole.engine.models import FailureRule
from dlqconsole.hosting.wording import gettext_lazy, translated

ADMINS = gettext_lazy("Only an administrator may change the rules. Ask one, or ask to become one.")
_ACTS = {
    "enable": gettext_lazy("Enable"),
    "disable": gettext_lazy("Disable"),
    "delete": gettext_lazy("Delete"),
}

type Act = Callable[[int, dict[str, str]], str]


@viewer_required
@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """All rules, in the order in which they are tried."""
    require_unlimited()
    context = {"rules": list_lines(RULES), **_rights(request)}
    return page(request, "console/rules/list.html", context)


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponseBase:
    """Write a rule: try it, then save it."""
    require_unlimited()
    return _write(request, None, RuleForm.from_request(request))


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def rule(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    """One rule; a POST tries or saves a change of it."""
    if request.method == "POST":
        require(request, "admin")
    row = _get(rule_id)
    return _write(request, row, RuleForm.from_request(request, rule=row))


def _write(request: HttpRequest, row: FailureRule | None, form: RuleForm) -> HttpResponseBase:
    """Try or save the form's rule; the form shows its errors."""
    trial = None
    if form.is_valid():
        try:
            if not form.is_trial:
                return _lead_to(request, _keep(request, row, form))
            trial = attempt(form.rule_values, row.pk if row else None)
        except InvalidRule as refusal:
            refuse(form, RULES, refusal)
    context = {
        "rule": row,
        "form": form,
        "trial": trial,
        "affected": affected_filter(RULES.fields_of(row)) if row else "",
        **_rights(request),
    }
    return page(request, "console/rules/rule.html", context, status=form.status)


def _keep(request: HttpRequest, row: FailureRule | None, form: RuleForm) -> int:
    """Store a rule, new or changed; return its id."""
    who = {"actor": actor(request), "reason": form.cleaned_data["reason"]}
    if row is None:
        return RULES.add(form.rule_values, **who).pk
    RULES.change(row.pk, form.cleaned_data["version"], form.rule_values, **who)
    return row.pk


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def switch(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    """Enable or disable a rule."""
    row = _get(rule_id)
    kind = "disable" if row.enabled else "enable"

    def act(version: int, who: dict[str, str]) -> str:
        RULES.switch(rule_id, version, kind == "enable", **who)
        return _("It is asked from now on.") if kind == "enable" else _("It is no longer asked.")

    return _confirm(request, row, kind, act)


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    """Delete a rule; dead letters keep its classification until they are re-classified."""
    row = _get(rule_id)

    def act(version: int, who: dict[str, str]) -> str:
        RULES.delete(rule_id, version, **who)
        return _(
            "Rule {rule_id} is gone. Dead letters keep their category until they are re-classified."
        ).format(rule_id=rule_id)

    return _confirm(request, row, "delete", act)


@admin_required
@require_POST
def move(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    """Move a rule one place up or down. It needs no reason."""
    _get(rule_id)
    form = RulePlaceForm(request.POST)
    if form.is_valid():
        up = form.cleaned_data["way"] == "up"
        try:
            RULES.move(rule_id, form.cleaned_data["version"], up, actor=actor(request), reason="")
        except InvalidRule as refusal:
            form.add_error(None, translated(refusal))
        else:
            messages.success(request, _moved(up).format(number=rule_id))
    for sentence in form.sentences:
        messages.error(request, sentence)
    return redirect("dlq:rules")


def _moved(up: bool) -> str:
    return _("Rule {number} is asked earlier now.") if up else _("Rule {number} is asked later now.")


def _lead_to(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    messages.success(
        request, _("Kept. Every failure is asked by it from now on; those that are here are not yet.")
    )
    return redirect("dlq:rule", rule_id)


def _confirm(request: HttpRequest, row: FailureRule, kind: str, act: Act) -> HttpResponseBase:
    form = RuleActionForm.from_request(request, initial={"version": row.version})
    if form.is_valid():
        who = {"actor": actor(request), "reason": form.cleaned_data["reason"]}
        try:
            sentence = act(form.cleaned_data["version"], who)
        except InvalidRule as refusal:
            form.add_error(None, translated(refusal))
        else:
            messages.success(request, sentence)
            return redirect("dlq:rules")
    context = {
        "rule": row,
        "kind": kind,
        "act": _ACTS[kind],
        "is_final": kind == "delete",
        "back_url": reverse("dlq:rules"),
        "form": form,
    }
    return page(request, "console/rules/confirm.html", context, status=form.status)


def _rights(request: HttpRequest) -> dict[str, Any]:
    return {"may_change": role_of(request) == "admin", "why_not": ADMINS}


def _get(rule_id: int) -> FailureRule:
    row = FailureRule.objects.filter(pk=rule_id).first()
    if row is None:
        raise Http404(_("There is no rule {rule_id}.").format(rule_id=rule_id))
    return row
