from django.apps import AppConfig


class ArchiveConfig(AppConfig):
    name = "dlqconsole.contrib.archive"
    label = "archive"
