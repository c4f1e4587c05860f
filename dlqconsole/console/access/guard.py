"""What is out of a person's reach is not there: every address that names something asks here first.

A view need not remember it: the decorator of roles calls ``check``, and an address that names something of
which nobody has said here how it is looked up is not there for anybody who is limited.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from dlqconsole.archive.letters import find_seen
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.engine.counts import groups
from dlqconsole.engine.dead_letters import excerpts
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import visibility
from dlqconsole.playbooks import visibility as playbooks
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies.keeping import scope_of
from dlqconsole.retries.policies.visibility import seen as seen_policy

PART = "Some of it lies outside your scope ({reach}). Ask somebody who sees all of it."
UNLIMITED = "This concerns every dead letter there is, and your scope is limited ({reach})."
# what an address says beside what it names, and what is a person's own
_HARMLESS = {"format", "number", "token_id"}
# addresses that give all of an operation, whatever the method
_WHOLE = {"operation_export"}

# (whether some of it is seen, whether all of it is)
type Seen = tuple[bool, bool]


def check(request: HttpRequest, named: Mapping[str, Any]) -> None:
    """Raise 404 for what is out of reach; PermissionDenied for a change of what is partly so."""
    reach = reach_of(request)
    if not reach.is_limited:
        return
    for name, value in named.items():
        if name not in _HARMLESS:
            _check(request, reach, name, value)


def require_unlimited(request: HttpRequest) -> None:
    """404 for whoever is limited, on pages about everything."""
    reach = reach_of(request)
    if reach.is_limited:
        raise Http404(UNLIMITED.format(reach=reach.words()))


def _check(request: HttpRequest, reach: Reach, name: str, value: Any) -> None:
    match = request.resolver_match
    route, address = (match.route, match.url_name) if match else ("", "")
    noun = "queue" if f"<queue:{name}>" in route else f"{address} {name}" if name == "name" else name
    look = _LOOKS.get(noun)
    if look is None:
        raise Http404(UNLIMITED.format(reach=reach.words()))
    some, whole = look(value, reach)
    if not some:
        raise Http404(_NOT_THERE[noun].format(value))
    changes = request.method not in ("GET", "HEAD", "OPTIONS") or address in _WHOLE
    if changes and not whole:
        raise PermissionDenied(PART.format(reach=reach.words()))


def _letter(letter_id: int, reach: Reach) -> Seen:
    """In the list, or in the archive."""
    seen = excerpts.is_seen(letter_id, reach) or find_seen(letter_id, reach) is not None
    return seen, seen


def _queue(name: str, reach: Reach) -> Seen:
    seen = reach.sees_queue(name)
    return seen, seen


def _policy(policy_id: int, reach: Reach) -> Seen:
    found = RetryPolicy.objects.filter(pk=policy_id).first()
    return (False, False) if found is None else seen_policy(scope_of(found), reach)


def _report(name: str, reach: Reach) -> Seen:
    """Its rows are limited where they are read."""
    return True, True


def _playbook(playbook_id: int, reach: Reach) -> Seen:
    seen = playbooks.exists(playbook_id, reach)
    return seen, seen


_LOOKS: dict[str, Callable[[Any, Reach], Seen]] = {
    "letter_id": _letter,
    "group_id": groups.seen,
    "operation_id": visibility.is_visible,
    "playbook_id": _playbook,
    "queue": _queue,
    "policy_id": _policy,
    "report name": _report,
    "report-export name": _report,
}
# as the pages themselves say it: what is out of reach and what never was are one
_NOT_THERE = {
    "letter_id": "There is no dead letter {}.",
    "group_id": "There is no group {}.",
    "operation_id": "There is no operation {}.",
    "playbook_id": "There is no playbook {}.",
    "policy_id": "There is no policy {}.",
    "queue": "There is no queue of this name, or it was dropped.",
}
