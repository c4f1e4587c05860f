from django.apps import AppConfig


class ArchiveConfig(AppConfig):
    name = "dlqconsole.archive"
    label = "archive"
