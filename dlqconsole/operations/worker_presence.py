"""Whether anybody is there to work on operations, and what to start where nobody is."""

from dlqconsole.engine import known_handlers
from dlqconsole.engine.worker_queues import TICKS, WORK

COMMAND = f"celery -A dlqconsole.celery worker --queues {WORK},{TICKS}"
NOBODY = "no worker for operations has been heard of in two minutes"


def warning() -> str:
    """Why no operation goes on, as a sentence for people; empty: a worker is there that takes it up."""
    if known_handlers.serving(WORK):
        return ""
    return f"{NOBODY.capitalize()}: nothing is done until one runs. Start one: {COMMAND}"
