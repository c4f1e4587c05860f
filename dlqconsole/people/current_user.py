"""The current user, with their groups and scopes in one query, and what they may see."""

from dataclasses import replace
from typing import Any

from django.contrib.auth import get_user_model
from django.db import router
from django.db.models import Q

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import EVERYTHING, AccessScope
from dlqconsole.engine.gate import is_masking
from dlqconsole.people.models import Scope
from dlqconsole.people.roles import CHANGERS
from dlqconsole.people.sql import sql

_PRELOADED = ("group_names", "scope_pairs")
NOTHING = AccessScope((), searches_values=False)


def find_person(user_id: Any) -> Any:
    """The account with that number, its groups and scopes loaded; None: there is none."""
    rows = fetch_dicts(sql("accounts.person"), {"id": user_id})
    return _person(rows[0]) if rows else None


def _person(row: dict[str, Any]) -> Any:
    # as a query of the model builds it, but without its work on the columns each time
    model = get_user_model()
    fields = model._meta.concrete_fields
    names = [field.attname for field in fields]
    account = model.from_db(router.db_for_read(model), names, [row[field.column or ""] for field in fields])
    for name in _PRELOADED:
        setattr(account, name, row[name])
    return account


def group_names(user: Any) -> set[str]:
    """The names of an account's groups."""
    names = getattr(user, "group_names", None)
    return set(user.groups.values_list("name", flat=True) if names is None else names)


def access_of_person(user: Any) -> AccessScope:
    """Return a person's access scope.

    Their own scopes and those of their groups count together. A person without scopes has no limits, nor has
    a superuser. A stranger sees nothing. Operators search values; where nothing is masked, everybody does.
    """
    if user is None or not user.is_authenticated:
        return NOTHING
    values = not is_masking() or user.is_superuser or not group_names(user).isdisjoint(CHANGERS)
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
