"""The code of a handler's own process: see ``processing.isolation``."""

from collections.abc import Callable, Sequence
from typing import Any

from dlqconsole.processing.isolation import Joint

from . import sending
from .events import StoredEvent
from .in_process import AsyncHandling, BatchHandling, begin_in_process, registry, run_batch


def prepare() -> None:
    """Load the handlers once, before there are processes. Raises HandlerSetupError."""
    registry()


def call(packet: tuple[Any, ...]) -> Any:
    """Handle one event, of ``sending.pack_event``. Return a ``sending.reply``, or how to come by it."""
    match result := begin_in_process(StoredEvent(*packet)):
        case AsyncHandling():
            return _reply(result)
        case BatchHandling():
            return joint(result, _replies)
    return sending.reply(result)


def joint(handling: BatchHandling, run: Callable[[Sequence[BatchHandling]], list[Any]]) -> Joint:
    """Return the call of a batch handler. What was tried before is by itself, so that it harms no other."""
    return Joint((handling.event.type, handling.most > 1), handling.most, handling, run)


def _replies(handlings: Sequence[BatchHandling]) -> list[Any]:
    return [sending.reply(result) for result in run_batch(handlings)]


async def _reply(handling: AsyncHandling) -> Any:
    return sending.reply(await handling.result())
