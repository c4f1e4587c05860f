"""Wake-ups through Celery: best effort, because the operation itself stands in PostgreSQL."""

import logging

log = logging.getLogger(__name__)

# An older wake-up is worthless: the tick has found the operation by then.
EXPIRES_SECONDS = 60


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
