"""The code of a handler's own process: see ``processing.isolation``."""

from typing import Any

from . import sending
from .events import StoredEvent
from .in_process import handle_in_process, registry


def prepare() -> None:
    """Load the handlers once, before there are processes. Raises HandlerSetupError."""
    registry()


def call(packet: tuple[Any, ...]) -> tuple[Any, ...]:
    """Handle one event, as ``sending.pack_event`` made it. Return a packet for ``sending.unpack``."""
    return sending.pack(handle_in_process(StoredEvent(*packet)))
