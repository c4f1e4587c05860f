from django.apps import AppConfig


class RetriesConfig(AppConfig):
    name = "dlqconsole.retries"
    label = "retries"
