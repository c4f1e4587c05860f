"""The steps of the migrations."""

from typing import Any

from django.conf import settings
from django.db.migrations import RunPython

from dlqconsole.core import schema
from dlqconsole.hosting.accounts import translated
from dlqconsole.tables.features import feature_folders

_HAS_CHANGE = "SELECT FROM schema_changes WHERE number = %s"


def install() -> RunPython:
    """Make everything, in an empty schema."""

    def run(_state: Any, editor: Any) -> None:
        with editor.connection.cursor() as cursor:
            schema.install(cursor.execute, feature_folders(), **_places())

    return RunPython(run)


def change(number: int) -> RunPython:
    """Run a numbered change, unless the database was made with it."""

    def run(_state: Any, editor: Any) -> None:
        with editor.connection.cursor() as cursor:
            cursor.execute(_HAS_CHANGE, [number])
            if not cursor.rowcount:
                schema.apply_change(cursor.execute, number, **_places())

    return RunPython(run)


def _places() -> dict[str, Any]:
    return {
        "schema": settings.DLQ_SCHEMA,
        "beside": settings.DLQ_USERS_SCHEMA,
        "translated": translated,
    }
