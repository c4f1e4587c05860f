from django.apps import AppConfig


class EngineConfig(AppConfig):
    name = "dlqconsole.engine"
    label = "engine"
