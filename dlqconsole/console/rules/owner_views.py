"""Rules of owners: their list with a new one, one rule, and a maintainer's changes."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dlqconsole.console.access.guard import require_unlimited
from dlqconsole.console.access.permissions import (
    MAINTAINERS,
    actor,
    can_maintain,
    maintainer_required,
    require,
    viewer_required,
)
from dlqconsole.console.parts.responses import page
from dlqconsole.console.rules.forms import OwnerRuleForm, RulePlaceForm, list_lines, refuse
from dlqconsole.core.errors import InvalidRule
from dlqconsole.engine.models import OwnerRule
from dlqconsole.hosting.wording import format_lazy, gettext_lazy
from dlqconsole.triage.owner_rules import OWNER_RULES

WHY_NOT = format_lazy(MAINTAINERS, things=gettext_lazy("the rules of owners"))


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def owner_rules(request: HttpRequest) -> HttpResponseBase:
    """All of them, in the order in which they are asked; a POST keeps a new one behind them."""
    require_unlimited()
    _require(request)
    form = OwnerRuleForm.from_request(request)
    if form.is_valid() and _done(form, lambda who: OWNER_RULES.add(form.rule_values, **who), request):
        messages.success(request, _("Kept. Groups that no person gave an owner go by it now."))
        return redirect("dlq:owner_rules")
    context = {"rules": list_lines(OWNER_RULES), "form": form, **_rights(request)}
    return page(request, "console/rules/owners.html", context, status=form.status)


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def owner_rule(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    """One rule; a POST changes or deletes it."""
    _require(request)
    row = OwnerRule.objects.filter(pk=rule_id).first()
    if row is None:
        raise Http404(_("There is no rule of owners {rule_id}.").format(rule_id=rule_id))
    form = OwnerRuleForm.from_request(request, rule=row)

    def change(who: dict[str, str]) -> None:
        version = form.cleaned_data["version"]
        if "delete" in request.POST:
            OWNER_RULES.delete(rule_id, version, **who)
        else:
            OWNER_RULES.change(rule_id, version, form.rule_values, **who)

    if form.is_valid() and _done(form, change, request):
        messages.success(request, _("Done. Groups that no person gave an owner follow at once."))
        return redirect("dlq:owner_rules")
    context = {"rule": row, "form": form, **_rights(request)}
    return page(request, "console/rules/owner.html", context, status=form.status)


@maintainer_required
@require_POST
def move(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    """Move a rule one place up or down. It needs no reason."""
    form = RulePlaceForm(request.POST)
    if form.is_valid():
        values = form.cleaned_data
        _done(
            form,
            lambda who: OWNER_RULES.move(rule_id, values["version"], values["way"] == "up", **who),
            request,
        )
    for sentence in form.sentences:
        messages.error(request, sentence)
    return redirect("dlq:owner_rules")


def _require(request: HttpRequest) -> None:
    if request.method == "POST":
        require(request, "maintainer")


def _done(form: Any, act: Callable[[dict[str, str]], object], request: HttpRequest) -> bool:
    """Act; a refusal stands on the form."""
    try:
        act({"actor": actor(request), "reason": form.cleaned_data.get("reason", "")})
    except InvalidRule as refusal:
        refuse(form, OWNER_RULES, refusal)
    return not form.errors


def _rights(request: HttpRequest) -> dict[str, Any]:
    return {"may_change": can_maintain(request), "why_not": WHY_NOT}
