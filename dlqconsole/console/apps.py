from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.db.models.signals import post_migrate

from dlqconsole.console.access.roles import ensure_groups, ensure_rights
from dlqconsole.hosting import app


class ConsoleConfig(app.Ours):
    name = "dlqconsole.console"
    default = True

    def ready(self) -> None:
        # auth is the last app whose tables the groups need
        post_migrate.connect(ensure_groups, sender=_auth())


class AdminConfig(SimpleAdminConfig):
    """Django's admin, with the console's sign-in: for our own project. own_urls.py imports its pages."""

    default = False
    default_site = "dlqconsole.console.access.admin_site.Site"

    def ready(self) -> None:
        super().ready()
        from dlqconsole.console.access import records

        records.connect()
        post_migrate.connect(ensure_rights, sender=_auth())


def _auth() -> AppConfig:
    from django.apps import apps

    return apps.get_app_config("auth")
