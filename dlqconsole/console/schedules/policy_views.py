"""One policy: its form with a preview, and a maintainer's changes."""

from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dlqconsole.console.access.guard import PART
from dlqconsole.console.access.permissions import (
    MAINTAINERS,
    actor,
    asks_for,
    can_maintain,
    require,
    viewer_required,
)
from dlqconsole.console.parts.responses import page, wants_part
from dlqconsole.console.schedules.actions import DELETE, SET
from dlqconsole.console.schedules.forms import PolicyActionForm, PolicyScopeForm, RetryPolicyForm
from dlqconsole.console.schedules.policy_rows import address
from dlqconsole.engine.access_scope import current_access
from dlqconsole.hosting.wording import format_lazy, gettext_lazy, translated
from dlqconsole.retries import policies, policy_preview
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies import Policies, PolicyScope, keeping, words
from dlqconsole.retries.policies.checks import InvalidPolicy, check_scope
from dlqconsole.retries.policies.keeping import UnknownPolicy, scope_of
from dlqconsole.retries.policies.scopes import seen
from dlqconsole.retries.policies.windows import zone_of
from dlqconsole.retries.policy_preview import PolicyPreview
from dlqconsole.retries.why import OFF

WHY_NOT = format_lazy(MAINTAINERS, things=gettext_lazy("policies"))
_PAGE = "console/schedules/policy.html"


@asks_for(SET)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponseBase:
    """Write a policy: choose its scope, look at the preview, then save it."""
    whose = PolicyScopeForm(request.GET) if request.GET or request.method == "POST" else PolicyScopeForm()
    scope = _scope(whose)
    if scope is None:
        return page(request, _PAGE, {"whose": whose, "scope": None, "policy": None}, status=whose.status)
    check_within(scope)
    if (existing := keeping.find(scope)) is not None and not keeping.is_empty(existing):
        return redirect("dlq:policy", existing.pk)
    return _write(request, scope, None)


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def policy(request: HttpRequest, policy_id: int) -> HttpResponseBase:
    """One policy; a POST tries or saves a change of it."""
    if request.method == "POST":
        require(request, SET.role)
    row = _get(policy_id)
    return _write(request, scope_of(row), row)


@asks_for(DELETE)
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, policy_id: int) -> HttpResponseBase:
    """Delete a policy: its values then come from the next less specific one."""
    row = _get(policy_id)
    form = PolicyActionForm.from_request(request, initial={"version": row.version})
    scope = scope_of(row)
    if form.is_valid():
        data = form.cleaned_data
        try:
            keeping.delete(policy_id, data["version"], actor=actor(request), reason=data["reason"])
        except (InvalidPolicy, UnknownPolicy) as refusal:
            form.add_error(None, translated(refusal))
        else:
            messages.success(
                request, _("The policy for {words} is gone.").format(words=translated(scope.words()))
            )
            return redirect("dlq:schedules")
    before = policies.read()
    context = {
        "act": _("Delete"),
        "is_final": True,
        "back_url": reverse("dlq:policy", args=[policy_id]),
        "words": translated(scope.words()),
        "form": form,
        "preview": policy_preview.effect_of(scope, before, before.without(scope)),
    }
    return page(request, "console/schedules/policy_delete.html", context, status=form.status)


def check_within(scope: PolicyScope) -> None:
    """Raise 404 for a policy out of scope; PermissionDenied for one that is partly so."""
    some, whole = seen(scope)
    if not some:
        raise Http404(_("There is no policy for {words}.").format(words=translated(scope.words())))
    if not whole:
        raise PermissionDenied(PART.format(scope=current_access().words()))


def _scope(whose: PolicyScopeForm) -> PolicyScope | None:
    """The scope in the address; None without one, or if it can have no policy."""
    if not whose.is_bound or not whose.is_valid():
        return None
    try:
        check_scope(whose.scope)
    except InvalidPolicy as refusal:
        for name, sentence in refusal.problems:
            whose.add_error("group" if name == "group_id" else name, sentence)
        return None
    return whose.scope


def _write(request: HttpRequest, scope: PolicyScope, row: RetryPolicy | None) -> HttpResponseBase:
    """Try or save the form's policy; the form shows its errors."""
    before = policies.read()
    form = RetryPolicyForm.from_request(request, scope=scope, policy=row, policies=before)
    preview = None
    if form.is_valid():
        try:
            if not form.is_trial:
                return _lead_to(request, _keep(request, scope, row, form))
            preview = policy_preview.preview(scope, form.policy_values, before)
        except InvalidPolicy as refusal:
            form.refuse(refusal)
    elif not form.is_bound:
        preview = policy_preview.effect_of(scope, before, before)
    context = _context(request, scope, row, before) | {"form": form, **preview_context(preview)}
    context["is_part"] = wants_part(request)
    # a preview during typing shows the errors in its place
    status = 200 if wants_part(request) and form.is_trial else form.status
    return page(request, _PAGE, context, part="console/schedules/policy_preview.html", status=status)


def preview_context(preview: PolicyPreview | None) -> dict[str, Any]:
    """The preview with its runs in words; None for an invalid form."""
    if preview is None:
        return {"preview": None}
    policy = preview.policy
    zone = "" if policy.window.is_always or policy.window.zone == "UTC" else policy.window.zone
    local = zone_of(zone or "UTC")
    block = policy.block_reason(datetime.now(UTC))
    return {
        "preview": preview,
        "zone": zone,
        "runs": [{"at": run, "there": f"{run.astimezone(local):%a %Y-%m-%d %H:%M}"} for run in preview.runs],
        "never": words.block_words(block) if block else OFF.rstrip("."),
    }


def _context(
    request: HttpRequest, scope: PolicyScope, row: RetryPolicy | None, before: Policies
) -> dict[str, Any]:
    block = before.of_scope(scope).block_reason(before.now)
    return {
        "policy": row,
        "scope": scope,
        "words": translated(scope.words()),
        "address": address(scope),
        "held": block and words.block_words(block),
        "time_budget": settings.DLQ_RETRY_TIME_BUDGET,
        "may_change": can_maintain(request) and seen(scope)[1],
        "why_not": WHY_NOT,
    }


def _keep(request: HttpRequest, scope: PolicyScope, row: RetryPolicy | None, form: RetryPolicyForm) -> int:
    """Store a policy, new or changed; return its id."""
    who = {"actor": actor(request), "reason": form.cleaned_data["reason"]}
    if row is None:
        return keeping.add(scope, form.policy_values, **who).pk
    keeping.change(row.pk, form.cleaned_data["version"], form.policy_values, **who)
    return row.pk


def _lead_to(request: HttpRequest, policy_id: int) -> HttpResponseBase:
    messages.success(request, _("Kept. Runs go by it within seconds; what waits already keeps its time."))
    return redirect("dlq:policy", policy_id)


def _get(policy_id: int) -> RetryPolicy:
    row = RetryPolicy.objects.filter(pk=policy_id).first()
    if row is None:
        raise Http404(_("There is no policy {policy_id}.").format(policy_id=policy_id))
    return row
