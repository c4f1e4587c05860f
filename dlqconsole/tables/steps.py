"""The steps of the migrations."""

from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.migrations import RunPython

from dlqconsole.core import schema
from dlqconsole.hosting.accounts import translated

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


def feature_folders() -> list[Path]:
    """The folders of all installed apps: those that have tables bring a ``schema.sql``."""
    return [Path(app.path) for app in apps.get_app_configs()]
