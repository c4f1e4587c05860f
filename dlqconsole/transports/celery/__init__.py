"""Celery applications: a task that failed there is sent again, to its queue of origin."""

from dlqconsole.transports.source import Source
from dlqconsole.transports.system import System


def _open() -> Source:
    from dlqconsole.transports.celery.source import CelerySource

    return CelerySource()


SYSTEM = System("celery", "Celery", _open)
