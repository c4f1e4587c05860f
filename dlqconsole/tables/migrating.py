"""The tables, made and brought up by ``migrate``: by the one migration at first, then after each of its runs.

Numbered migrations would not do: a feature may be switched on, and functions may change alone.
"""

from functools import cache
from typing import Any

from django.conf import settings
from django.db import connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from dlqconsole.core.schema import upgrade
from dlqconsole.hosting.accounts import translated
from dlqconsole.hosting.database import connection
from dlqconsole.tables.features import feature_folders

LABEL = "dlq_tables"


def make_tables(_state: Any, editor: Any) -> None:
    """Make everything, in a schema without tables of ours: the one migration."""
    _bring_up(editor.connection)


def bring_up_tables(using: str, verbosity: int = 1, stdout: Any = None, **_more: object) -> None:
    """Bring the tables to this version: after each migrate."""
    if not router.allow_migrate(using, LABEL) or connections[using].vendor != "postgresql":
        return
    with transaction.atomic(using=using):
        names = _bring_up(connections[using])
    if names and verbosity and stdout:
        stdout.write(f"  Brought to this version: the tables of {', '.join(names)}.\n")


def lacking() -> list[str]:
    """Return the names of the parts that a migrate would make or bring up."""
    with connection.cursor() as cursor:
        return upgrade.lacking(cursor.execute, _parts(), settings.DLQ_SCHEMA)


def _bring_up(database: BaseDatabaseWrapper) -> list[str]:
    with database.cursor() as cursor:
        return upgrade.upgrade(cursor.execute, _parts(), settings.DLQ_SCHEMA, settings.DLQ_USERS_SCHEMA)


@cache
def _parts() -> list[upgrade.Part]:
    """As this version's files say it; they do not change while it runs."""
    return upgrade.all_parts(feature_folders(), translated)
