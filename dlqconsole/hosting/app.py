"""The base of our applications' configurations."""

from typing import Any

from django.apps import AppConfig

from dlqconsole.hosting.completing import complete


class Ours(AppConfig):
    """An application of ours: its label cannot be one of the project's. The first completes the settings."""

    default_auto_field = "django.db.models.BigAutoField"

    def __init__(self, app_name: str, app_module: Any) -> None:
        complete()
        self.label = f"dlq_{app_name.rpartition('.')[2]}"
        super().__init__(app_name, app_module)
