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
    *("DATABASE_URL", "DLQ_DIRECT_DATABASE_URL", "DLQ_MAIL_URL"),
}
ALIAS = SCHEMA = "dlq"
STATIC = "dlqconsole"
# what our own project makes of the environment by itself
_LIKE_OUR_OWN: dict[str, Any] = {"DLQ_USERS_SCHEMA": "public", "DLQ_DIRECT_DATABASE": {}}


@cache
def complete() -> None:
    """Set each setting of ours, once a process. Raises ImproperlyConfigured with every mistake at once.

    Our own project names all of them itself, the connection too.
    """
    if not hasattr(settings, "DLQ_DATABASE_ALIAS"):
        _complete_ours()
        _complete_static_files()
        _complete_databases()


def _complete_ours() -> None:
    names = sorted(NAMES - _THE_PROJECTS)
    given = {name: getattr(settings, name) for name in names if hasattr(settings, name)}
    try:
        values = read_for_project(given, {"DLQ_SCHEMA": SCHEMA})
    except BadSettings as error:
        raise ImproperlyConfigured("\n".join(error.problems)) from None
    for name in names:
        setattr(settings, name, values[name])
    for name, value in _LIKE_OUR_OWN.items():
        setattr(settings, name, getattr(settings, name, value))


def _complete_static_files() -> None:
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, (STATIC, str(places.STATIC))]


def _complete_databases() -> None:
    """Give the console a connection of its own: limits, and names of tables, hold for it alone."""
    given = settings.DATABASES.get(ALIAS) or settings.DATABASES.get(DEFAULT_DB_ALIAS, {})
    own = {**given, "OPTIONS": dict(given.get("OPTIONS", {})), "ATOMIC_REQUESTS": False}
    settings.DATABASES = {**settings.DATABASES, ALIAS: own}
    connections.__dict__.pop("settings", None)  # should somebody have asked for them already
    settings.DLQ_DATABASE_ALIAS = ALIAS
    settings.DATABASE_ROUTERS = ["dlqconsole.hosting.database.Router", *settings.DATABASE_ROUTERS]
    neighbours()  # remembered, before tests give them other names
