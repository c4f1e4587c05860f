from django.apps import AppConfig


class InsightConfig(AppConfig):
    name = "dlqconsole.contrib.insight"
    label = "insight"
