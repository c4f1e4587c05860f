from django.apps import AppConfig
from django.db.models.signals import post_migrate

from dlqconsole.console.access.roles import ensure_groups


class ConsoleConfig(AppConfig):
    name = "dlqconsole.console"
    label = "console"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # auth is the last whose tables and permissions are needed
        post_migrate.connect(ensure_groups, sender=_auth())


def _auth() -> AppConfig:
    from django.apps import apps

    return apps.get_app_config("auth")
