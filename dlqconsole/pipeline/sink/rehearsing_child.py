"""The entry of a process in which handlers are rehearsed for Spark."""

import os
from collections.abc import Sequence

from dlqconsole.core.read_only import only_read, refused_writes
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.isolation import bulk
from dlqconsole.processing.isolation.sending import reduce_for_sending
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.outcomes import Outcome, Succeeded, attempt
from dlqconsole.processing.rehearsals import is_refused_write

# a record is kept nowhere
_SUCCEEDED = Succeeded(None, "")


def prepare() -> None:
    """Prepare once, before there are processes. Raises HandlerSetupError."""
    only_read()
    load_handlers(os.environ.get("DLQ_HANDLERS", ""))


def call(arguments: Sequence[tuple[Limits, int, Event]]) -> list[Outcome | None]:
    """Return what the handlers of the first of these events would do; None: one wanted to write."""
    return bulk.each(_call, arguments)


def _call(argument: tuple[Limits, int, Event]) -> Outcome | None:
    limits, memory, event = argument
    before = refused_writes()
    outcome = attempt(load_handlers(os.environ.get("DLQ_HANDLERS", "")), event, limits)
    if refused_writes() > before or is_refused_write(outcome):
        return None
    return _SUCCEEDED if isinstance(outcome, Succeeded) else reduce_for_sending(outcome, memory)
