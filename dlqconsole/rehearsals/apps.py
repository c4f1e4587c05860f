from django.apps import AppConfig


class RehearsalsConfig(AppConfig):
    """An application without tables: it only reads."""

    name = "dlqconsole.rehearsals"
    label = "rehearsals"
