"""Scopes: objects outside a person's scope do not exist for them. Every address with an object asks here.

A view need not remember it: the decorator of roles calls ``check``. An address parameter that has no look-up
here is answered with 404 for every person with a scope.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.utils.module_loading import import_string

from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import groups
from dlqconsole.engine.dead_letters import excerpts
from dlqconsole.features import features
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.hosting.wording import translated
from dlqconsole.operations import visibility
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies.keeping import scope_of
from dlqconsole.retries.policies.scopes import seen as seen_policy

PART = _("Some of it lies outside your scope ({scope}). Ask somebody who sees all of it.")
UNLIMITED = _("This concerns every dead letter there is, and your scope is limited ({scope}).")
# address parameters that name no object, or one of the person's own
_HARMLESS = {"format", "number", "token_id"}
# addresses that read all of an operation, whatever the method
_WHOLE = {"operation_export"}

# (the person sees some of it, the person sees all of it)
type Visibility = tuple[bool, bool]


def check(request: HttpRequest, parameters: Mapping[str, Any]) -> None:
    """Raise 404 for an object out of scope; PermissionDenied for a change of one that is partly so."""
    if not current_access().is_limited:
        return
    for name, value in parameters.items():
        if name not in _HARMLESS:
            _check(request, name, value)


def lies_elsewhere(letter_id: int) -> bool:
    """Tell whether a feature has a dead letter that is not in the list. Http404: that cannot be told."""
    places = [feature.other_place for feature in features() if feature.other_place]
    return any(import_string(place.visible)(letter_id) for place in places)


def require_unlimited() -> None:
    """Raise 404 for a person with a scope, on pages about everything."""
    access = current_access()
    if access.is_limited:
        raise Http404(UNLIMITED.format(scope=access.words()))


def _check(request: HttpRequest, name: str, value: Any) -> None:
    access = current_access()
    match = request.resolver_match
    route, address = (match.route, match.url_name) if match else ("", "")
    noun = "queue" if f"<queue:{name}>" in route else f"{address} {name}" if name == "name" else name
    find_visibility, sentence = _lookups().get(noun, (None, ""))
    if find_visibility is None:
        raise Http404(UNLIMITED.format(scope=access.words()))
    some, whole = find_visibility(value)
    if not some:
        raise Http404(translated(sentence).format(value))
    changes = request.method not in ("GET", "HEAD", "OPTIONS") or address in _WHOLE
    if changes and not whole:
        raise PermissionDenied(PART.format(scope=access.words()))


def _letter(letter_id: int) -> Visibility:
    """A dead letter, in the list or elsewhere."""
    is_seen = excerpts.is_seen(letter_id) or lies_elsewhere(letter_id)
    return is_seen, is_seen


def _queue(name: str) -> Visibility:
    is_seen = current_access().sees_queue(name)
    return is_seen, is_seen


def _policy(policy_id: int) -> Visibility:
    policy = RetryPolicy.objects.filter(pk=policy_id).first()
    return (False, False) if policy is None else seen_policy(scope_of(policy))


def _report(name: str) -> Visibility:
    """A report is for everybody; the scope limits its rows where they are read."""
    return True, True


_LOOKUPS: dict[str, Callable[[Any], Visibility]] = {
    "letter_id": _letter,
    "group_id": groups.visibility,
    "operation_id": visibility.is_visible,
    "queue": _queue,
    "policy_id": _policy,
    "report name": _report,
    "report-export name": _report,
}
# the sentences of the pages themselves: out of scope and never there must look the same
_NOT_THERE = {
    "letter_id": _("There is no dead letter {}."),
    "group_id": _("There is no group {}."),
    "operation_id": _("There is no operation {}."),
    "policy_id": _("There is no policy {}."),
    "queue": _("There is no queue of this name, or it was dropped."),
}


@cache
def _lookups() -> dict[str, tuple[Callable[[Any], Visibility], str]]:
    """By argument: how it is looked up, and the sentence for what is not there. Features bring theirs."""
    own = {noun: (look, _NOT_THERE.get(noun, "")) for noun, look in _LOOKUPS.items()}
    brought = (lookup for feature in features() for lookup in feature.lookups)
    return own | {each.argument: (import_string(each.visible), each.missing) for each in brought}
