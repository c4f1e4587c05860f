from django.apps import AppConfig


class ConsumingConfig(AppConfig):
    name = "dlqconsole.consuming"
    label = "consuming"
