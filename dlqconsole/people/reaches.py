"""Whose scopes count for whom: the one place that makes a reach of a person."""

from dataclasses import replace
from typing import Any

from django.db.models import Q

from dlqconsole.engine.gate import is_masking
from dlqconsole.engine.reach import EVERYTHING, Reach
from dlqconsole.people.asking import group_names
from dlqconsole.people.models import Scope

NOTHING = Reach((), searches_values=False)
OPERATE = {"operator", "admin"}


def reach_of_person(user: Any, token: Reach = EVERYTHING) -> Reach:
    """What a person may see; with a token, no more than the token is for.

    Their own scopes and those of their groups together. Without any they are not limited, and a superuser
    never is. A stranger sees nothing. Values are searched by who operates; where nothing is masked, by all.
    """
    if user is None or not user.is_authenticated:
        return NOTHING
    values = not is_masking() or user.is_superuser or not OPERATE.isdisjoint(group_names(user))
    return replace(_own(user), searches_values=values).intersection(token)


def _own(user: Any) -> Reach:
    if user.is_superuser:
        return EVERYTHING
    pairs = getattr(user, "scope_pairs", None)
    if pairs is None:
        theirs = Scope.objects.filter(Q(user=user) | Q(group__in=user.groups.all()))
        pairs = theirs.values_list("queue", "event_type")
    pairs = [(queue, event_type) for queue, event_type in pairs]
    return Reach.of(pairs) if pairs else EVERYTHING
