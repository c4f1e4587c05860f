"""The code of a handler's own process: see ``processing.isolation``."""

from typing import Any

from . import sending
from .events import HandlerResult, StoredEvent
from .in_process import AsyncHandling, begin_in_process, registry


def prepare() -> None:
    """Load the handlers once, before there are processes. Raises HandlerSetupError."""
    registry()


def call(packet: tuple[Any, ...]) -> Any:
    """Handle one event, as ``sending.pack_event`` made it. Return a ``sending.reply``, or await it."""
    result = begin_in_process(StoredEvent(*packet))
    return sending.reply(result) if isinstance(result, HandlerResult) else _reply(result)


async def _reply(handling: AsyncHandling) -> Any:
    return sending.reply(await handling.result())
