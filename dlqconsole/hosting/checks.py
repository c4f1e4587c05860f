"""System checks: what the console asks of a Django project. ``manage.py check`` says all of it at once."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.checks import CheckMessage, Error, Warning
from django.core.exceptions import FieldDoesNotExist
from django.db import connections, router
from django.db.models import AutoField, BigAutoField, IntegerField
from django.shortcuts import resolve_url
from django.urls import NoReverseMatch, Resolver404, ResolverMatch, get_script_prefix, resolve, reverse
from django.utils.module_loading import import_string

from dlqconsole.hosting.accounts import names
from dlqconsole.hosting.database import alias, neighbours

_APPS = ("auth", "contenttypes", "sessions", "messages", "staticfiles")
_MIDDLEWARE = (
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
)
_FIELDS = ("password", "is_active", "is_staff", "is_superuser", "groups", "user_permissions")
_NUMBERS = (AutoField, BigAutoField, IntegerField)


def check_project(**_options: Any) -> list[CheckMessage]:
    """Return an error for each thing that is missing."""
    messages: list[CheckMessage] = []
    for number, check in enumerate((_settings, _middleware, _accounts, _databases), 1):
        messages += [Error(sentence, id=f"dlqconsole.E{number:03}") for sentence in check()]
    return messages + [Warning(sentence, id="dlqconsole.W001") for sentence in _addresses()]


def _settings() -> Iterator[str]:
    for name in _APPS:
        if not apps.is_installed(f"django.contrib.{name}"):
            yield f"The console needs django.contrib.{name} in INSTALLED_APPS."
    if not settings.USE_TZ:
        yield "The console needs USE_TZ = True: its times are moments."


def _middleware() -> Iterator[str]:
    present = [import_string(path) for path in settings.MIDDLEWARE]
    for path in _MIDDLEWARE:
        wanted = import_string(path)
        if not any(isinstance(each, type) and issubclass(each, wanted) for each in present):
            yield f"The console needs {path} in MIDDLEWARE."


def _accounts() -> Iterator[str]:
    model = get_user_model()
    lacking = [name for name in _FIELDS if not _has(model, name)]
    if lacking:
        yield (
            f"{model._meta.label} has no {', '.join(lacking)}. Roles are groups, so the console needs a user"
            " model that inherits from AbstractUser, or from AbstractBaseUser and PermissionsMixin with"
            " is_active and is_staff."
        )
    key = model._meta.pk
    if key.column != "id" or not isinstance(key, _NUMBERS):
        yield f"The key of {model._meta.label} is no number called id: the audit log names people by it."
    if not lacking:
        for name in names().values():
            if not name.isidentifier() or name != name.lower():
                yield f"The table or column {name!r} of the accounts has a name that SQL has to quote."


def _databases() -> Iterator[str]:
    own, users = alias(), router.db_for_write(get_user_model())
    if connections[own].vendor != "postgresql":
        yield f"The database {own!r} is no PostgreSQL. Give DATABASES an entry {own!r} that is one."
    elif users not in neighbours():
        yield (
            f"The accounts are in the database {users!r} and the console in {own!r}. They must be in one,"
            " as triggers of the accounts keep the audit log. Or run the console by itself: dlqconsole up."
        )
    if users != own and _looks_among_ours_first(connections[users].settings_dict):
        yield (
            f"The role of the database {users!r} has the name of our schema, {settings.DLQ_SCHEMA}, where"
            " PostgreSQL would look for your tables first. Give the schema another one by DLQ_SCHEMA."
        )


def _looks_among_ours_first(database: Mapping[str, Any]) -> bool:
    return database["USER"] == settings.DLQ_SCHEMA and "search_path" not in str(database["OPTIONS"])


def _addresses() -> Iterator[str]:
    include = 'path("dlq/", include("dlqconsole.urls"))'
    try:
        home = reverse("dlq:overview")
    except NoReverseMatch:
        yield f"The console has no address. Add {include} to your urlpatterns."
        return
    match = _resolved(home)
    if match and not hasattr(match.func, "is_served"):
        yield (
            f"{home} leads to {match.view_name!r}, which an earlier one of your urlpatterns takes it to."
            f" Put {include} in front of that."
        )
    try:
        sign_in = resolve_url(settings.LOGIN_URL)
    except NoReverseMatch:
        sign_in = ""
    if not sign_in or (sign_in.startswith("/") and not _resolved(sign_in)):
        yield (
            f"LOGIN_URL = {str(settings.LOGIN_URL)!r} leads nowhere, so strangers will find no sign-in page."
            ' The address of that of Django\'s admin is "admin:login".'
        )


def _resolved(path: str) -> ResolverMatch | None:
    """Return what an address leads to, as ``reverse`` gives it."""
    try:
        return resolve("/" + path.partition("?")[0].removeprefix(get_script_prefix()).lstrip("/"))
    except Resolver404:
        return None


def _has(model: Any, name: str) -> bool:
    try:
        model._meta.get_field(name)
    except FieldDoesNotExist:
        return False
    return True
