"""The workers of operations: wake one, best effort; warn where none is there.

The operation itself stands in PostgreSQL, so a lost wake-up costs one tick.
"""

import logging

from dlqconsole.engine import known_handlers
from dlqconsole.engine.worker_queues import TICKS, WORK

log = logging.getLogger(__name__)

# An older wake-up is worthless: the tick has found the operation by then.
EXPIRES_SECONDS = 60
COMMAND = f"celery -A dlqconsole.celery worker --queues {WORK},{TICKS}"
NOBODY = "no worker for operations has been heard of in two minutes"


def wake(operation_id: int, after_seconds: float = 0.0) -> bool:
    """Wake a worker for an operation, now or a little later; True where the broker did not take it.

    A broker that is away costs one tick, never an error.
    """
    # the import takes a tenth of a command's start, and most commands wake nobody
    from dlqconsole.celery import app

    try:
        app.send_task(
            "operations.run", args=[operation_id], countdown=after_seconds or None, expires=EXPIRES_SECONDS
        )
    except Exception as error:
        # kombu, redis and the operating system each have their own words for "not there"
        log.warning("operation %s waits for the next tick, the broker is away: %s", operation_id, error)
        return True
    return False


def warning() -> str:
    """The warning that no operation goes on, with the command to start a worker; empty: a worker is there."""
    if known_handlers.serving(WORK):
        return ""
    return f"{NOBODY.capitalize()}: nothing is done until one runs. Start one: {COMMAND}"
