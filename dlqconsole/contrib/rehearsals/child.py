"""The code of a process in which handlers are rehearsed."""

from typing import Any

from dlqconsole.contrib.rehearsals import read_only
from dlqconsole.contrib.rehearsals.attempt import rehearse_event
from dlqconsole.engine import handler_child


def prepare() -> None:
    """Load the handlers; each connection refuses writes by itself. Raises HandlerSetupError."""
    read_only.only_read()
    handler_child.prepare()


def call(packet: tuple[Any, ...]) -> tuple[Any, ...]:
    """Rehearse one event, as ``handler_child.call`` handles one."""
    return handler_child.answer(packet, rehearse_event)
