"""The installed apps that may bring tables of their own."""

from pathlib import Path

from django.apps import apps


def feature_folders() -> list[Path]:
    """The folders of all installed apps: those that have tables bring a ``schema.sql``."""
    return [Path(app.path) for app in apps.get_app_configs()]
