"""Failure rules: the list, one rule with its trial, and what an administrator does to it."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dlqconsole.console.access.permissions import (
    actor,
    admin_required,
    require_admin,
    role_of,
    viewer_required,
)
from dlqconsole.console.operations.asked_operation import LONGEST_REASON, NotUnderstood, read_reason
from dlqconsole.console.parts.responses import page
from dlqconsole.console.rules.forms import affected, form, in_words, stored_form
from dlqconsole.engine.errors import InvalidRule
from dlqconsole.engine.groups import rules as classification_rules
from dlqconsole.engine.models import FailureRule

ADMINS = "Only an administrator may change the rules. Ask one, or ask to become one."


@viewer_required
@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """All rules, in the order in which they are asked."""
    context = {"rules": [in_words(rule) for rule in classification_rules.rules()], **_rights(request)}
    return page(request, "console/rules/list.html", context, part="")


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponseBase:
    """Write a rule: try it, then keep it."""
    if request.method != "POST":
        return _rule_page(request, None, form({}))
    if request.POST.get("do") == "try":
        return _tried(request, None)
    try:
        reason = read_reason(request.POST)
        rule = classification_rules.add(request.POST, actor=actor(request), reason=reason)
    except (NotUnderstood, InvalidRule) as problem:
        return _refused(request, None, problem)
    return _saved(request, rule.pk)


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def rule(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    """One rule; a POST tries or keeps a change of it."""
    if request.method == "POST":
        require_admin(request)
    found = _get(rule_id)
    if request.method != "POST":
        return _rule_page(request, found, stored_form(found))
    if request.POST.get("do") == "try":
        return _tried(request, found)
    try:
        who = {"actor": actor(request), "reason": read_reason(request.POST)}
        classification_rules.change(rule_id, _version(request), request.POST, **who)
    except (NotUnderstood, InvalidRule) as problem:
        return _refused(request, found, problem)
    return _saved(request, rule_id)


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def switch(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    """Let a rule be asked again, or no longer."""
    found = _get(rule_id)
    kind = "disable" if found.enabled else "enable"

    def act(who: dict[str, str]) -> str:
        classification_rules.switch(rule_id, _version(request), kind == "enable", **who)
        return "It is asked from now on." if kind == "enable" else "It is no longer asked."

    return _confirmed(request, found, kind, act)


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    """Remove a rule; what it classified stays so until it is re-classified."""
    found = _get(rule_id)

    def act(who: dict[str, str]) -> str:
        classification_rules.delete(rule_id, _version(request), **who)
        return f"Rule {rule_id} is gone. What it classified stays so until it is re-classified."

    return _confirmed(request, found, "delete", act)


@admin_required
@require_POST
def move(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    """Ask a rule one place earlier or later. Its place is its reason."""
    found = _get(rule_id)
    up = request.POST.get("way") == "up"
    try:
        classification_rules.move(rule_id, _version(request), up, actor=actor(request), reason="")
    except InvalidRule as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, f"Rule {found.pk} is asked {'earlier' if up else 'later'} now.")
    return redirect("rules")


def _tried(request: HttpRequest, found: FailureRule | None) -> HttpResponse:
    try:
        trial = classification_rules.attempt(request.POST, found.pk if found else None)
    except InvalidRule as problem:
        return _refused(request, found, problem)
    return _rule_page(request, found, form(request.POST), trial=trial)


def _refused(request: HttpRequest, found: FailureRule | None, problem: Exception) -> HttpResponse:
    problems = problem.problems if isinstance(problem, InvalidRule) else [str(problem)]
    return _rule_page(request, found, form(request.POST), problems=problems)


def _saved(request: HttpRequest, rule_id: int) -> HttpResponseBase:
    messages.success(
        request, "Kept. Every failure is asked by it from now on; those that are here are not yet."
    )
    return redirect("rule", rule_id)


def _rule_page(
    request: HttpRequest, found: FailureRule | None, shown: Mapping[str, Any], **more: Any
) -> HttpResponse:
    given = {condition["name"]: condition["value"] for condition in shown["conditions"]}
    context = {
        "rule": found,
        "form": shown,
        "version": request.POST.get("version", found.version if found else 0),
        "reason": request.POST.get("reason", "")[:LONGEST_REASON],
        "affected": affected(given),
        **_rights(request),
        **more,
    }
    return page(
        request, "console/rules/rule.html", context, part="", status=422 if more.get("problems") else 200
    )


def _confirmed(request: HttpRequest, found: FailureRule, kind: str, act: Any) -> HttpResponseBase:
    problem = ""
    if request.method == "POST":
        try:
            said = act({"actor": actor(request), "reason": read_reason(request.POST)})
        except (NotUnderstood, InvalidRule) as refusal:
            problem = str(refusal)
        else:
            messages.success(request, said)
            return redirect("rules")
    context = {
        "rule": found,
        "kind": kind,
        "problem": problem,
        "version": request.POST.get("version", found.version),
        "reason": request.POST.get("reason", "")[:LONGEST_REASON],
    }
    return page(request, "console/rules/confirm.html", context, part="", status=422 if problem else 200)


def _rights(request: HttpRequest) -> dict[str, Any]:
    return {"may_change": role_of(request) == "admin", "why_not": ADMINS}


def _version(request: HttpRequest) -> int:
    """The version that the person saw; one that no rule has where the form lost it."""
    text = request.POST.get("version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _get(rule_id: int) -> FailureRule:
    found = FailureRule.objects.filter(pk=rule_id).first()
    if found is None:
        raise Http404(f"There is no rule {rule_id}.")
    return found
