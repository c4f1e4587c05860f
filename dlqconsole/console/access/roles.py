"""The three groups and their Django permissions, there from the first migration on."""

from typing import Any

from django.apps import AppConfig
from django.db.models import Q

_SEEN = Q(
    content_type__app_label__in=["engine", "retries", "operations", "reports"], codename__startswith="view_"
)
_ASKED = Q(content_type__app_label="operations", codename__in=["add_operation", "change_operation"])
_PEOPLE = Q(content_type__app_label="auth", content_type__model__in=["user", "group"])
_RIGHTS = {"viewer": _SEEN, "operator": _SEEN | _ASKED, "admin": _SEEN | _ASKED | _PEOPLE}


def ensure_groups(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Create what is missing and set the permissions; safe to repeat."""
    from django.contrib.auth.models import Group, Permission

    for name, rights in _RIGHTS.items():
        group, _created = Group.objects.using(using).get_or_create(name=name)
        group.permissions.set(Permission.objects.using(using).filter(rights))
