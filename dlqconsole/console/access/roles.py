"""The groups of the roles and their Django permissions, there from the first migration on."""

from typing import Any

from django.apps import AppConfig, apps
from django.db import router
from django.db.models import Q

_VIEWED_APPS = ("dlq_engine", "dlq_retries", "dlq_operations", "dlq_reports")
_VIEW = Q(content_type__app_label__in=_VIEWED_APPS, codename__startswith="view_")
_REQUEST = Q(content_type__app_label="dlq_operations", codename__in=["add_operation", "change_operation"])
_PEOPLE = Q(content_type__app_label="auth", content_type__model="user") | Q(
    content_type__app_label="auth", codename="view_group"
)
# the scopes on the page of an account
_SCOPES = Q(content_type__app_label="dlq_people", content_type__model="scope")
_RIGHTS = {
    "viewer": _VIEW,
    "operator": _VIEW | _REQUEST,
    "maintainer": _VIEW | _REQUEST,
    "admin": _VIEW | _REQUEST | _PEOPLE | _SCOPES,
}


def ensure_groups(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Create missing groups; safe to repeat."""
    from django.contrib.auth.models import Group

    if router.allow_migrate_model(using, Group):
        for name in _RIGHTS:
            Group.objects.using(using).get_or_create(name=name)


def ensure_rights(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Set the groups' permissions in our own admin; the admin of a project is its own affair."""
    from django.contrib.auth.models import Group, Permission

    _make_permissions(using)
    for name, rights in _RIGHTS.items():
        group = Group.objects.using(using).get(name=name)
        group.permissions.set(Permission.objects.using(using).filter(rights))


def _make_permissions(using: str) -> None:
    """Create permissions now: Django makes those of an app in its turn, which may be after ours."""
    from django.contrib.auth.management import create_permissions

    for label in (*_VIEWED_APPS, "auth", "dlq_people"):
        create_permissions(apps.get_app_config(label), verbosity=0, using=using)
