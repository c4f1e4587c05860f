"""Whether anybody is there to start what is asked for, and what to start where nobody is."""

from dlqconsole.engine import known_handlers
from dlqconsole.engine.worker_queues import PIPELINE

COMMAND = f"celery -A dlqconsole.celery worker --queues {PIPELINE}"
_NOBODY = "no worker that starts runs has been heard of in two minutes"


def why_waiting() -> str:
    """Why a run that is asked for will not begin; empty: a worker is there that starts it."""
    return "" if known_handlers.serving(PIPELINE) else f"waits: {_NOBODY}"


def warning() -> str:
    """The same as a sentence for who is about to ask for one."""
    return (
        ""
        if known_handlers.serving(PIPELINE)
        else f"{_NOBODY.capitalize()}: it will wait. Start one: {COMMAND}"
    )
