from django.core.checks import register

from dlqconsole.hosting import app
from dlqconsole.hosting.checks import check_project


class TablesConfig(app.Ours):
    """Has no models: those of the other packages are not managed by Django, and so need no migrations."""

    name = "dlqconsole.tables"

    def ready(self) -> None:
        register(check_project)
