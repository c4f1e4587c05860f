"""The applications that may bring tables of their own."""

from pathlib import Path

from django.apps import apps

from dlqconsole.hosting.app import Ours


def feature_folders() -> list[Path]:
    """The folders of our applications: those that have tables bring a ``schema.sql``."""
    return [Path(app.path) for app in apps.get_app_configs() if isinstance(app, Ours)]
