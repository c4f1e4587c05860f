"""What a person may do now, and since when: read from the history that the database keeps."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.people.models import RoleGrant

# each may do what those before it may
ROLES = ("viewer", "operator", "admin")
# whose members may change things, and so approve what another asks for
CHANGERS = ("operator", "admin", "superuser")
# Who lost a role so lately still counts: nobody becomes the only person by switching the others off.
LATELY = timedelta(hours=24)


def role_of(user_id: int) -> str:
    """The highest role of an account; empty for one that has none, is switched off or is gone."""
    held = set(RoleGrant.objects.filter(user_id=user_id, until__isnull=True).values_list("role", flat=True))
    if "superuser" in held:
        return "admin"
    return next((role for role in reversed(ROLES) if role in held), "")


def may(role: str, needed: str) -> bool:
    """Whether a role is enough."""
    return bool(role) and ROLES.index(role) >= ROLES.index(needed)


def changers() -> int:
    """How many people may ask for, and so approve, an operation, or could within the last day."""
    lately = Q(until__isnull=True) | Q(until__gt=Now() - LATELY)
    return RoleGrant.objects.filter(lately, role__in=CHANGERS).values("user_id").distinct().count()


def periods(user_id: int) -> list[tuple[datetime, datetime | None]]:
    """From when until when an account could change things; None: it still can."""
    rows = RoleGrant.objects.filter(user_id=user_id, role__in=CHANGERS)
    return list(rows.values_list("since", "until"))


def could_change(held: Iterable[tuple[datetime, datetime | None]], at: datetime) -> bool:
    """Whether somebody could change things ever since before that moment."""
    return any(since < at and until is None for since, until in held)
