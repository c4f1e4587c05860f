from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "dlqconsole.reports"
    label = "reports"
