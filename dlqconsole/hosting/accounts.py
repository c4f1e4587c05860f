"""The tables of the project's accounts, which SQL of ours names: it says ``auth_user`` and ``username``."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from django.contrib.auth import get_user_model

_WORDS = r"\b(auth_user|auth_user_groups|auth_user_user_permissions|username)\b"


def translated(sql: str) -> str:
    """Return the SQL with the names that AUTH_USER_MODEL has for them."""
    return _translation()(sql)


def names() -> dict[str, str]:
    """By the word that stands in our SQL, the table or column that it means."""
    model: Any = get_user_model()
    return {
        "auth_user": model._meta.db_table,
        "auth_user_groups": _table(model, "groups"),
        "auth_user_user_permissions": _table(model, "user_permissions"),
        "username": model._meta.get_field(model.USERNAME_FIELD).column,
    }


def _table(model: Any, field: str) -> str:
    table: str = model._meta.get_field(field).remote_field.through._meta.db_table
    return table


@cache
def _translation() -> Callable[[str], str]:
    meant = names()
    if all(word == name for word, name in meant.items()):
        return str
    return lambda sql: re.sub(_WORDS, lambda match: meant[match[0]], sql)
