"""Runs the handler of an event in this process."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dlqconsole.core.settings import limits, settings
from dlqconsole.processing.errors import MalformedEvent, PayloadTooLarge
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import Registry, load_handlers
from dlqconsole.processing.isolation import grace_of, output
from dlqconsole.processing.outcomes import Failed, Outcome, attempt, attempt_async, attempt_together
from dlqconsole.processing.time_limit import HandlerTimeout, TimeLimit

from .events import (
    HandlerResult,
    Identity,
    StoredEvent,
    Unhandled,
    event_type_of,
    identify,
    identity_by_position,
    identity_of,
    read_event,
)

# finds an event's handler and runs it
type Run = Callable[[Event], Outcome | Unhandled]


def longest_seconds() -> float:
    """Return how long a handler may take in all: after that its process is killed."""
    seconds = float(settings.DLQ_HANDLER_TIMEOUT)
    return seconds + grace_of(seconds)


def seconds_for(raw_event: StoredEvent) -> float:
    """Return how long the handler of an event may take. Only where one names a timeout is the event read."""
    longest = float(settings.DLQ_HANDLER_TIMEOUT)
    if not any(limits.timeout for limits in registry().limits.values()):
        return longest
    return registry().seconds_for(event_type_of(raw_event) or "", longest)


def registry() -> Registry:
    """Return the handlers named in DLQ_HANDLERS, loaded once a process. Raises HandlerSetupError."""
    return load_handlers(settings.DLQ_HANDLERS)


def run_handler(event: Event) -> Outcome | Unhandled:
    """Run an event's handler, if this process has one."""
    return _run(registry(), event)


def _run(handlers: Registry, event: Event) -> Outcome | Unhandled:
    return attempt(handlers, event, limits()) if event.type in handlers else Unhandled(event.type)


def handle_in_process(raw_event: StoredEvent, run: Run = run_handler) -> HandlerResult:
    """Decode one payload, find its handler and run it, for as long as it takes.

    Never raises for what an event may do, but SystemExit, KeyboardInterrupt, and the HandlerTimeout of a time
    limit that the caller has set.
    """
    read = _read(raw_event)
    if isinstance(read, HandlerResult):
        return read
    identity, event = read
    return HandlerResult(identity, run(event))


@dataclass(frozen=True, slots=True)
class AsyncHandling:
    """The handling of an event whose handler is an ``async def``, not begun yet."""

    identity: Identity
    event: Event

    async def result(self) -> HandlerResult:
        """Run the handler in the loop that runs."""
        return HandlerResult(self.identity, await attempt_async(registry(), self.event, limits()))


@dataclass(frozen=True, slots=True)
class BatchHandling:
    """The handling of an event by a batch handler, which may take ``most`` such events."""

    identity: Identity
    event: Event
    most: int


def run_batch(handlings: Sequence[BatchHandling]) -> list[HandlerResult]:
    """Run the batch handler of these events of one type."""
    outcomes = attempt_together(registry(), [one.event for one in handlings], limits())
    return [HandlerResult(one.identity, outcome) for one, outcome in zip(handlings, outcomes, strict=True)]


def begin_in_process(raw_event: StoredEvent) -> HandlerResult | AsyncHandling | BatchHandling:
    """Do the same, but leave an ``async def`` to who has a loop for it, and a batch to who has more of it."""
    read = _read(raw_event)
    if isinstance(read, HandlerResult):
        return read
    identity, event = read
    handlers = registry()
    if handlers.is_async(event.type):
        return AsyncHandling(identity, event)
    if most := handlers.batch_of(event.type):
        return BatchHandling(identity, event, 1 if raw_event.is_retry else most)
    return HandlerResult(identity, _run(handlers, event))


def _read(raw_event: StoredEvent) -> tuple[Identity, Event] | HandlerResult:
    """Return the event and its identity; the result where it cannot be read."""
    try:
        event, digest = read_event(raw_event)
    except (MalformedEvent, PayloadTooLarge) as error:
        return HandlerResult(identity_by_position(raw_event), Failed.from_error(error))
    identity = identity_of(event, digest)
    output.called(identity.event_type, identity.source_key)
    return identity, event


def handle_in_time(raw_event: StoredEvent, run: Run = run_handler) -> HandlerResult:
    """Handle it within a handler's time limit. Only a main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        return handle_in_process(raw_event, run)
    try:
        with TimeLimit() as limit:
            return limit.run(seconds_for(raw_event), lambda: handle_in_process(raw_event, run))
    except HandlerTimeout as error:  # it fell before or after the handler
        return HandlerResult(identify(raw_event), Failed.from_error(error))
