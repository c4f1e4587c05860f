"""One policy: its form with what it would do, and what an administrator does to it."""

from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from dlqconsole.console.access.guard import PART
from dlqconsole.console.access.permissions import (
    actor,
    admin_required,
    require_admin,
    role_of,
    viewer_required,
)
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.parts.responses import page, wants_part
from dlqconsole.console.schedules.forms import PolicyActionForm, PolicyForm, ScopeForm
from dlqconsole.console.schedules.policy_rows import address
from dlqconsole.retries import policies, policy_preview
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies import Policies, Scope, keeping, words
from dlqconsole.retries.policies.checks import InvalidPolicy, check_scope
from dlqconsole.retries.policies.keeping import UnknownPolicy, scope_of
from dlqconsole.retries.policies.visibility import seen
from dlqconsole.retries.policies.windows import zone_of
from dlqconsole.retries.policy_preview import PolicyPreview
from dlqconsole.retries.why import OFF

ADMINS = "Only an administrator may change policies. Ask one, or ask to become one."
_PAGE = "console/schedules/policy.html"


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponseBase:
    """Write a policy: say whose it is, look what it would do, then keep it."""
    whose = ScopeForm(request.GET) if request.GET or request.method == "POST" else ScopeForm()
    scope = _scope(whose)
    if scope is None:
        return page(
            request, _PAGE, {"whose": whose, "scope": None, "policy": None}, part="", status=whose.status
        )
    check_within(request, scope)
    if (there := keeping.find(scope)) is not None and not keeping.is_empty(there):
        return redirect("policy", there.pk)
    return _written(request, scope, None)


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def policy(request: HttpRequest, policy_id: int) -> HttpResponseBase:
    """One policy; a POST tries or keeps a change of it."""
    if request.method == "POST":
        require_admin(request)
    found = _get(policy_id)
    return _written(request, scope_of(found), found)


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, policy_id: int) -> HttpResponseBase:
    """Remove a policy: what it said comes from the next less specific one."""
    found = _get(policy_id)
    form = PolicyActionForm.posted(request, initial={"version": found.version})
    scope = scope_of(found)
    if form.is_valid():
        data = form.cleaned_data
        try:
            keeping.delete(policy_id, data["version"], actor=actor(request), reason=data["reason"])
        except (InvalidPolicy, UnknownPolicy) as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, f"The policy for {scope.words()} is gone.")
            return redirect("schedules")
    before = policies.read()
    context = {
        "policy": found,
        "words": scope.words(),
        "form": form,
        "preview": policy_preview.effect_of(scope, reach_of(request), before, before.without(scope)),
    }
    return page(request, "console/schedules/policy_delete.html", context, part="", status=form.status)


def check_within(request: HttpRequest, scope: Scope) -> None:
    """404 for a policy about what is out of reach; PermissionDenied where some of it is."""
    reach = reach_of(request)
    some, whole = seen(scope, reach)
    if not some:
        raise Http404(f"There is no policy for {scope.words()}.")
    if not whole:
        raise PermissionDenied(PART.format(reach=reach.words()))


def _scope(whose: ScopeForm) -> Scope | None:
    """Whose policy the address says; None where it says nothing, or nothing that can have one."""
    if not whose.is_bound or not whose.is_valid():
        return None
    try:
        check_scope(whose.scope)
    except InvalidPolicy as refusal:
        for name, sentence in refusal.problems:
            whose.add_error({"group_id": "group", "error_category": "category"}.get(name, name), sentence)
        return None
    return whose.scope


def _written(request: HttpRequest, scope: Scope, found: RetryPolicy | None) -> HttpResponseBase:
    """Try or keep what the form holds; what is wrong with it is shown in it."""
    before = policies.read()
    form = PolicyForm.posted(request, scope=scope, policy=found, found=before)
    preview = None
    if form.is_valid():
        try:
            if not form.is_trial:
                return _saved(request, _keep(request, scope, found, form))
            preview = policy_preview.preview(scope, form.given, reach_of(request), before)
        except InvalidPolicy as refusal:
            form.refuse(refusal)
    elif not form.is_bound:
        preview = policy_preview.effect_of(scope, reach_of(request), before, before)
    context = _context(request, scope, found, before) | {"form": form, **preview_context(preview)}
    context["is_part"] = wants_part(request)
    # a preview that is asked for while somebody types says what is wrong in its place
    status = 200 if wants_part(request) and form.is_trial else form.status
    return page(request, _PAGE, context, part="preview", status=status)


def preview_context(preview: PolicyPreview | None) -> dict[str, Any]:
    """The preview with its runs as people read them; nothing of one where the form is wrong."""
    if preview is None:
        return {"preview": None}
    policy = preview.policy
    zone = "" if policy.window.is_always or policy.window.zone == "UTC" else policy.window.zone
    there = zone_of(zone or "UTC")
    held = policy.block_reason(datetime.now(UTC))
    return {
        "preview": preview,
        "zone": zone,
        "runs": [{"utc": run, "there": f"{run.astimezone(there):%a %Y-%m-%d %H:%M}"} for run in preview.runs],
        "never": words.block_words(held) if held else OFF.rstrip("."),
    }


def _context(
    request: HttpRequest, scope: Scope, found: RetryPolicy | None, before: Policies
) -> dict[str, Any]:
    held = before.of_scope(scope).block_reason(before.now)
    return {
        "policy": found,
        "scope": scope,
        "words": scope.words(),
        "address": address(scope),
        "held": held and words.block_words(held),
        "time_budget": settings.DLQ_RETRY_TIME_BUDGET,
        "may_change": role_of(request) == "admin" and seen(scope, reach_of(request))[1],
        "why_not": ADMINS,
    }


def _keep(request: HttpRequest, scope: Scope, found: RetryPolicy | None, form: PolicyForm) -> int:
    """Store a policy, new or changed; its number."""
    who = {"actor": actor(request), "reason": form.cleaned_data["reason"]}
    if found is None:
        return keeping.add(scope, form.given, **who).pk
    keeping.change(found.pk, form.cleaned_data["version"], form.given, **who)
    return found.pk


def _saved(request: HttpRequest, policy_id: int) -> HttpResponseBase:
    messages.success(request, "Kept. Runs go by it within seconds; what waits already keeps its time.")
    return redirect("policy", policy_id)


def _get(policy_id: int) -> RetryPolicy:
    found = RetryPolicy.objects.filter(pk=policy_id).first()
    if found is None:
        raise Http404(f"There is no policy {policy_id}.")
    return found
