"""The presence of workers for operations: a warning where none is there."""

from dlqconsole.engine import known_handlers
from dlqconsole.engine.worker_queues import TICKS, WORK

COMMAND = f"celery -A dlqconsole.celery worker --queues {WORK},{TICKS}"
NOBODY = "no worker for operations has been heard of in two minutes"


def warning() -> str:
    """The warning that no operation goes on, with the command to start a worker; empty: a worker is there."""
    if known_handlers.serving(WORK):
        return ""
    return f"{NOBODY.capitalize()}: nothing is done until one runs. Start one: {COMMAND}"
