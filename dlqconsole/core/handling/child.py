"""The code of a handler's own process, and what travels there and back as plain tuples.

Pickling an object costs as much as a quick handler. See ``processing.isolation``.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dlqconsole.core.settings import settings
from dlqconsole.processing.isolation import Halt, Joint
from dlqconsole.processing.isolation.deaths import reduce_for_sending
from dlqconsole.processing.outcomes import Failed, Succeeded

from .events import HandlerResult, Identity, StoredEvent, Unhandled
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
    return reply(result)


def joint(handling: BatchHandling, run: Callable[[Sequence[BatchHandling]], list[Any]]) -> Joint:
    """Return the call of a batch handler. What was tried before is by itself, so that it harms no other."""
    return Joint((handling.event.type, handling.most > 1), handling.most, handling, run)


def _replies(handlings: Sequence[BatchHandling]) -> list[Any]:
    return [reply(result) for result in run_batch(handlings)]


async def _reply(handling: AsyncHandling) -> Any:
    return reply(await handling.result())


def pack_event(raw_event: StoredEvent) -> tuple[Any, ...]:
    """Return an event for a child, which makes a Stored of it again."""
    names = (raw_event.queue, raw_event.key, raw_event.source)
    return raw_event.text, raw_event.raw, raw_event.headers, *names, raw_event.is_retry


def pack(result: HandlerResult) -> tuple[Any, ...]:
    """Return identity and outcome as a tuple: a record as text, any other outcome as it is."""
    who, outcome = result.identity, result.outcome
    names = (who.event_type, who.source, who.source_key, who.occurred_at, who.digest)
    if isinstance(outcome, Succeeded):
        return *names, outcome.record_json
    if isinstance(outcome, Failed):
        return *names, reduce_for_sending(outcome, settings.DLQ_HANDLER_MEMORY * 1024**2)
    return *names, outcome


def reply(result: HandlerResult) -> Any:
    """Return the packet as a child answers with it: after a failure it begins nothing before we know of it.

    A breaker may stop the others. Where memory ran out, it need not be this event that has taken it.
    """
    packet = pack(result)
    failure = packet[-1]
    return Halt(packet, doubtful=failure.fatal) if isinstance(failure, Failed) else packet


def unpack(packet: tuple[Any, ...]) -> HandlerResult:
    """Return the result of a child's tuple. The record of a success is there as text only."""
    *names, value = packet
    outcome: Succeeded | Failed | Unhandled = Succeeded(None, value) if isinstance(value, str) else value
    return HandlerResult(Identity(*names), outcome)
