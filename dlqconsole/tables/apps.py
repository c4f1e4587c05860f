from django.core.checks import register
from django.db.models.signals import post_migrate

from dlqconsole.hosting import app
from dlqconsole.hosting.checks import check_project


class TablesConfig(app.Ours):
    """Has no models: those of the other packages are not managed by Django, and so need no migrations."""

    name = "dlqconsole.tables"

    def ready(self) -> None:
        from dlqconsole.tables.migrating import bring_up_tables

        post_migrate.connect(bring_up_tables, sender=self)
        register(check_project)
