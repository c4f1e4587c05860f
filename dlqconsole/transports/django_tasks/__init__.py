"""Tasks of the Django project that the console is a guest of: one that failed is enqueued again there."""

from dlqconsole.transports.system import RelaySteps, System
from dlqconsole.transports.target import Target


def _open() -> Target:
    from dlqconsole.transports.django_tasks.target import DjangoTasks

    return DjangoTasks()


def _relay_steps() -> RelaySteps:
    from dlqconsole.transports.django_tasks.steps import Steps

    return Steps()


SYSTEM = System("django-tasks", "Django's tasks", _open, relay_steps=_relay_steps)
