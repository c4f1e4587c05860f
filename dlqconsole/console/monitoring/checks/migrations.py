"""Whether the database has the tables that this code asks for."""

from functools import cache

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from dlqconsole.console.monitoring.not_ready import NotReady

_APPLIED = "SELECT app, name FROM django_migrations"


def check() -> tuple[str, ...]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('django_migrations')")
        is_new = cursor.fetchone()[0] is None
        applied = set()
        if not is_new:
            cursor.execute(_APPLIED)
            applied = set(cursor.fetchall())
    if missing := len(_known() - applied):
        raise NotReady(f"the database lacks {missing} migrations of this version: run manage.py migrate")
    return ()


@cache
def _known() -> frozenset[tuple[str, str]]:
    """What this version has in its files; read once, for they do not change while it runs."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    return frozenset(loader.disk_migrations)
