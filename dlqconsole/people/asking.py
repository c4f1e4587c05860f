"""Who asks: an account with its groups and scopes, in one question. Each request begins with it."""

from typing import Any

from django.contrib.auth.models import User

from dlqconsole.people.sql import sql


def find_person(user_id: Any) -> User | None:
    """The account with that number, knowing its groups and scopes as they are now; None: there is none."""
    return next(iter(User.objects.raw(sql("accounts.person"), {"id": user_id})), None)


def group_names(user: User) -> set[str]:
    """The names of an account's groups."""
    known = getattr(user, "group_names", None)
    return set(user.groups.values_list("name", flat=True) if known is None else known)
