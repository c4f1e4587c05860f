from django.apps import AppConfig


class InsightConfig(AppConfig):
    name = "dlqconsole.insight"
    label = "insight"
