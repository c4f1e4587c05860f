"""The roles of a person, now and before, from the history that the database keeps."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.people.models import RoleGrant

# each role includes those before it; a maintainer changes the retry policies, and the rules of owners
ROLES = ("viewer", "operator", "maintainer", "admin")
# the roles that may change things, and so approve another person's operation
CHANGERS = (*ROLES[1:], "superuser")
# A person who lost a role so lately still counts: nobody becomes the only one by switching the others off.
LATELY = timedelta(hours=24)


def role_of(user_id: int) -> str:
    """The highest role of an account; empty for one that has none, is switched off or is gone."""
    roles = set(RoleGrant.objects.filter(user_id=user_id, until__isnull=True).values_list("role", flat=True))
    if "superuser" in roles:
        return "admin"
    return next((role for role in reversed(ROLES) if role in roles), "")


def may(role: str, least_role: str) -> bool:
    """Tell whether a role includes the least role."""
    return bool(role) and ROLES.index(role) >= ROLES.index(least_role)


def changers() -> int:
    """Count the people who may request, and so approve, an operation, or could within the last day."""
    lately = Q(until__isnull=True) | Q(until__gt=Now() - LATELY)
    return RoleGrant.objects.filter(lately, role__in=CHANGERS).values("user_id").distinct().count()


def periods(user_id: int) -> list[tuple[datetime, datetime | None]]:
    """The periods (from, until) in which an account could change things; until None: it still can."""
    rows = RoleGrant.objects.filter(user_id=user_id, role__in=CHANGERS)
    return list(rows.values_list("since", "until"))


def could_change(role_periods: Iterable[tuple[datetime, datetime | None]], at: datetime) -> bool:
    """Tell whether one of these periods began before that moment and has not ended."""
    return any(since < at and until is None for since, until in role_periods)
