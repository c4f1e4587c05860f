"""Checks that the database has the tables of this version."""

from functools import cache

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from dlqconsole.console.monitoring.not_ready import NotReady

_APPLIED = "SELECT app, name FROM django_migrations"


def check() -> tuple[str, ...]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('django_migrations')")
        is_new = cursor.fetchone()[0] is None
        migrations = set()
        if not is_new:
            cursor.execute(_APPLIED)
            migrations = set(cursor.fetchall())
    if missing := len(_own_migrations() - migrations):
        raise NotReady(
            f"the schema {settings.DLQ_SCHEMA} of the database lacks {missing} migrations of this version:"
            " run manage.py migrate"
        )
    return ()


@cache
def _own_migrations() -> frozenset[tuple[str, str]]:
    """The migrations in this version's files; read once, because they do not change while it runs."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    return frozenset(loader.disk_migrations)
