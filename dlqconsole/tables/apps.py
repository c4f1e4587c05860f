from django.apps import AppConfig


class TablesConfig(AppConfig):
    """Has no models: those of the other packages are not managed by Django, and so need no migrations."""

    name = "dlqconsole.tables"
    label = "dlq_tables"
