"""The access scope of a person: the one place that makes it from their scopes."""

from dataclasses import replace
from typing import Any

from django.db.models import Q

from dlqconsole.engine.access_scope import EVERYTHING, AccessScope
from dlqconsole.engine.gate import is_masking
from dlqconsole.people.current_user import group_names
from dlqconsole.people.models import Scope

NOTHING = AccessScope((), searches_values=False)
OPERATE = {"operator", "admin"}


def access_of_person(user: Any) -> AccessScope:
    """Return a person's access scope.

    Their own scopes and those of their groups count together. A person without scopes has no limits, nor has
    a superuser. A stranger sees nothing. Operators search values; where nothing is masked, everybody does.
    """
    if user is None or not user.is_authenticated:
        return NOTHING
    values = not is_masking() or user.is_superuser or not OPERATE.isdisjoint(group_names(user))
    return replace(_own(user), searches_values=values)


def _own(user: Any) -> AccessScope:
    if user.is_superuser:
        return EVERYTHING
    pairs = getattr(user, "scope_pairs", None)
    if pairs is None:
        scopes = Scope.objects.filter(Q(user=user) | Q(group__in=user.groups.all()))
        pairs = scopes.values_list("queue", "event_type")
    pairs = [(queue, event_type) for queue, event_type in pairs]
    return AccessScope.of(pairs) if pairs else EVERYTHING
