from django.core.signals import request_finished, request_started

from dlqconsole.hosting import app


class PeopleConfig(app.Ours):
    name = "dlqconsole.people"

    def ready(self) -> None:
        from dlqconsole.people import names

        request_started.connect(names.remember)
        request_finished.connect(names.forget)
