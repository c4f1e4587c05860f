from django.apps import AppConfig


class TransportsConfig(AppConfig):
    name = "dlqconsole.transports"
    label = "transports"
