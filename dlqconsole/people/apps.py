from django.apps import AppConfig
from django.core.signals import request_finished, request_started


class PeopleConfig(AppConfig):
    name = "dlqconsole.people"
    label = "people"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from dlqconsole.people import names

        request_started.connect(names.remember)
        request_finished.connect(names.forget)
