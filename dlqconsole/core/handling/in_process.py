"""Runs the handler of an event in this process."""

import threading

from dlqconsole.core.limits import limits
from dlqconsole.core.read_only import refused_writes
from dlqconsole.core.settings import settings
from dlqconsole.processing.errors import MalformedEvent, PayloadTooLarge
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import Registry, load_handlers
from dlqconsole.processing.isolation import output
from dlqconsole.processing.outcomes import Failed, Outcome, attempt
from dlqconsole.processing.rehearsals import is_refused_write
from dlqconsole.processing.time_limit import HandlerTimeout, TimeLimit

from .events import (
    HandlerResult,
    NotRehearsed,
    StoredEvent,
    Unhandled,
    Writes,
    identify,
    identity_by_position,
    identity_of,
    read_event,
)

# The longest grace after a handler's time, before it is killed; it is as long as that time, if that is less.
LONGEST_GRACE = 5.0


def longest_seconds() -> float:
    """Return how long a handler may take in all: after that its process is killed."""
    seconds = float(settings.DLQ_HANDLER_TIMEOUT)
    return seconds + min(LONGEST_GRACE, seconds)


def registry() -> Registry:
    """Return the handlers named in DLQ_HANDLERS, loaded once a process. Raises HandlerSetupError."""
    return load_handlers(settings.DLQ_HANDLERS)


def handle_in_process(raw_event: StoredEvent) -> HandlerResult:
    """Decode one payload, find its handler and run it, for as long as it takes.

    Never raises for what an event may do, but SystemExit, KeyboardInterrupt, and the HandlerTimeout of a time
    limit that the caller has set.
    """
    try:
        event, digest = read_event(raw_event)
    except (MalformedEvent, PayloadTooLarge) as error:
        return HandlerResult(identity_by_position(raw_event), Failed.from_error(error))
    identity = identity_of(event, digest)
    output.called(identity.event_type, identity.source_key)
    return HandlerResult(identity, _run(event))


def handle_in_time(raw_event: StoredEvent) -> HandlerResult:
    """Handle it within a handler's time limit. Only a main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        return handle_in_process(raw_event)
    try:
        with TimeLimit() as limit:
            return limit.run(settings.DLQ_HANDLER_TIMEOUT, lambda: handle_in_process(raw_event))
    except HandlerTimeout as error:  # it fell before or after the handler
        return HandlerResult(identify(raw_event), Failed.from_error(error))


def _run(event: Event) -> Outcome | Unhandled:
    handlers = registry()
    if event.type not in handlers:
        return Unhandled(event.type)
    if event.rehearsal:
        return _rehearse(handlers, event)
    return attempt(handlers, event, limits())


def _rehearse(handlers: Registry, event: Event) -> Outcome | Unhandled:
    """Run a handler only if it declares that it can be rehearsed. A refused write makes it Writes."""
    if event.type not in handlers.rehearsable:
        return NotRehearsed(event.type)
    before = refused_writes()
    outcome = attempt(handlers, event, limits())
    wrote = refused_writes() > before or is_refused_write(outcome)
    return Writes(event.type) if wrote else outcome
