"""The workers that start runs: warnings where none is there."""

from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import PIPELINE
from dlqconsole.waking import worker_command

_NOBODY = "no worker that starts runs has been heard of in two minutes"


def command() -> str:
    """Return the command that starts one."""
    return worker_command(PIPELINE)


def why_waiting() -> str:
    """The reason why a requested run will not begin; empty: a worker is there that starts it."""
    return "" if known_handlers.serving(PIPELINE) else f"waits: {_NOBODY}"


def warning() -> str:
    """The same as a sentence for a person who is about to request a run."""
    return (
        ""
        if known_handlers.serving(PIPELINE)
        else f"{_NOBODY.capitalize()}: it will wait. Start one: {command()}"
    )
