"""Celery applications: a task that failed there is sent again, to its queue of origin."""

from dlqconsole.transports.system import System
from dlqconsole.transports.target import Target


def _open() -> Target:
    from dlqconsole.transports.celery.target import CeleryTarget

    return CeleryTarget()


SYSTEM = System("celery", "Celery", _open)
