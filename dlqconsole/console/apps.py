from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "dlqconsole.console"
    label = "console"
