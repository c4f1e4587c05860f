"""The settings of the project, completed with those of ours that it does not name.

A value comes from the project's settings, else from the environment, else it is the default.
"""

from functools import cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections

from dlqconsole.configuration import places
from dlqconsole.configuration.reading import BadSettings, read_for_project
from dlqconsole.configuration.settings import NAMES
from dlqconsole.hosting.database import neighbours

# a project has these itself, with meanings of its own
_THE_PROJECTS = {
    *("SECRET_KEY", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "DEBUG", "LOG_LEVEL"),
    *("DATABASE_URL", "DLQ_DIRECT_DATABASE_URL"),
}
ALIAS, SCHEMA, USERS_SCHEMA = "dlq", "dlq", "public"
STATIC = "dlqconsole"


@cache
def complete() -> None:
    """Set each setting of ours, once a process. Raises ImproperlyConfigured with every mistake at once."""
    _complete_ours()
    _complete_static_files()
    _complete_databases()


def _complete_ours() -> None:
    names = sorted(NAMES - _THE_PROJECTS)
    given = {name: getattr(settings, name) for name in names if hasattr(settings, name)}
    if len(given) == len(names):  # our own project reads them itself
        return
    try:
        values = read_for_project(given, {"DLQ_SCHEMA": SCHEMA})
    except BadSettings as error:
        raise ImproperlyConfigured("\n".join(error.problems)) from None
    for name in names:
        setattr(settings, name, values[name])


def _complete_static_files() -> None:
    entry = (STATIC, str(places.STATIC))
    folders = list(settings.STATICFILES_DIRS)
    if entry not in folders:
        settings.STATICFILES_DIRS = [*folders, entry]


def _complete_databases() -> None:
    """Give the console a connection of its own: limits, and names of tables, hold for it alone."""
    defaults: dict[str, Any] = {
        "DLQ_DATABASE_ALIAS": ALIAS,
        "DLQ_USERS_SCHEMA": USERS_SCHEMA,
        "DLQ_DIRECT_DATABASE": {},
    }
    for name, value in defaults.items():
        if not hasattr(settings, name):
            setattr(settings, name, value)
    alias = settings.DLQ_DATABASE_ALIAS
    if alias not in settings.DATABASES:
        users = settings.DATABASES.get(DEFAULT_DB_ALIAS, {})
        own = {**users, "OPTIONS": dict(users.get("OPTIONS", {})), "ATOMIC_REQUESTS": False}
        settings.DATABASES = {**settings.DATABASES, alias: own}
        connections.__dict__.pop("settings", None)  # should somebody have asked for them already
    router = "dlqconsole.hosting.database.Router"
    if router not in settings.DATABASE_ROUTERS:
        settings.DATABASE_ROUTERS = [router, *settings.DATABASE_ROUTERS]
    neighbours()  # remembered, before tests give them other names
