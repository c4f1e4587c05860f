"""The workers of operations: wake one, best effort; warn where none is there.

The operation itself stands in PostgreSQL, so a lost wake-up costs one tick.
"""

import logging

from django.utils.translation import gettext as _

from dlqconsole import waking
from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import WORK

log = logging.getLogger(__name__)

NOBODY = "no worker for operations has been heard of in two minutes"


def wake(operation_id: int, after_seconds: float = 0.0) -> bool:
    """Wake a worker for an operation, now or a little later; True where the broker did not take it.

    A broker that is away costs one tick, never an error.
    """
    try:
        waking.wake("operations.run", operation_id, after_seconds)
    except Exception as error:
        # kombu, redis, psycopg and the operating system each have their own words for "not there"
        log.warning("operation %s waits for the next tick, the broker is away: %s", operation_id, error)
        return True
    return False


def warning() -> str:
    """The warning that no operation goes on, with the command to start a worker; empty: a worker is there."""
    if known_handlers.serving(WORK):
        return ""
    return _(
        "No worker for operations has been heard of in two minutes: nothing is done until one runs."
        " Start one: {command}"
    ).format(command=waking.worker_command(WORK))
