from django.apps import AppConfig


class RunningConfig(AppConfig):
    name = "dlqconsole.running"
    label = "dlq_running"
