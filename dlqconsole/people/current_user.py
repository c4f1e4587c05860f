"""The current user: an account with its groups and scopes, in one query. Each request begins with it."""

from typing import Any

from django.contrib.auth import get_user_model
from django.db import router

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.people.sql import sql

_PRELOADED = ("group_names", "scope_pairs")


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
