"""Wake-ups through Celery: best effort, because the operation itself stands in PostgreSQL."""

import logging

log = logging.getLogger(__name__)

# A wake-up this old is worth nothing: the tick has long found the operation.
EXPIRES_SECONDS = 60


def wake(operation_id: int, after_seconds: float = 0.0) -> bool:
    """Ask a worker to look at an operation, now or a little later; True where nobody hears of it.

    A broker that is away costs one tick, never an error.
    """
    # a tenth of what a command's start takes, and most commands wake nobody
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
