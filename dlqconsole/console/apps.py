from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.db.models.signals import post_migrate

from dlqconsole.console.access.roles import ensure_groups


class ConsoleConfig(AppConfig):
    name = "dlqconsole.console"
    label = "console"
    default = True
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from dlqconsole.console.access import records

        records.connect()
        # auth is the last app whose tables the groups need
        post_migrate.connect(ensure_groups, sender=_auth())


class AdminConfig(SimpleAdminConfig):
    """Django's admin, with the console's sign-in. urls.py imports the registered pages."""

    default = False
    default_site = "dlqconsole.console.access.admin_site.Site"


def _auth() -> AppConfig:
    from django.apps import apps

    return apps.get_app_config("auth")
