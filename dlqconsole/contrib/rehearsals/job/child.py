"""The entry of a process in which handlers are rehearsed for Spark."""

import os

from dlqconsole.contrib.rehearsals.predictions import is_refused_write
from dlqconsole.contrib.rehearsals.read_only import only_read, refused_writes
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.isolation.deaths import reduce_for_sending
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.outcomes import Outcome, Succeeded, attempt

# a record is kept nowhere
_SUCCEEDED = Succeeded(None, "")


def prepare() -> None:
    """Prepare once, before there are processes. Raises HandlerSetupError."""
    only_read()
    load_handlers(os.environ.get("DLQ_HANDLERS", ""))


def call(argument: tuple[Limits, int, Event]) -> Outcome | None:
    """Return what the handler of this event would do; None: it wanted to write."""
    limits, memory, event = argument
    before = refused_writes()
    outcome = attempt(load_handlers(os.environ.get("DLQ_HANDLERS", "")), event, limits)
    if refused_writes() > before or is_refused_write(outcome):
        return None
    return _SUCCEEDED if isinstance(outcome, Succeeded) else reduce_for_sending(outcome, memory)
