from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "dlqconsole.operations"
    label = "operations"
