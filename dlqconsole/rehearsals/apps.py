from django.apps import AppConfig


class RehearsalsConfig(AppConfig):
    """It has no tables: what it compares it only reads."""

    name = "dlqconsole.rehearsals"
    label = "rehearsals"
