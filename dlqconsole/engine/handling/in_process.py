"""Runs the handler of an event in this process."""

import threading

from django.conf import settings

from dlqconsole.engine.limits import limits
from dlqconsole.processing.errors import MalformedEvent, PayloadTooLarge
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import Registry, load_handlers
from dlqconsole.processing.isolation import output
from dlqconsole.processing.outcomes import Failed, Outcome, attempt
from dlqconsole.processing.rehearsals import is_refused_write
from dlqconsole.processing.time_limit import HandlerTimeout, TimeLimit
from dlqconsole.statements.read_only import refused_writes

from .events import (
    Handled,
    NotRehearsed,
    Stored,
    Unhandled,
    Writes,
    identify,
    identity_by_position,
    identity_of,
    read_event,
)

# What a handler may take after its time before it is killed: as long as its time, and no longer than this.
LONGEST_GRACE = 5.0


def longest_seconds() -> float:
    """How long a handler may take in all: after that its process is killed."""
    seconds = float(settings.DLQ_HANDLER_TIMEOUT)
    return seconds + min(LONGEST_GRACE, seconds)


def registry() -> Registry:
    """The handlers named in DLQ_HANDLERS, which are loaded once a process. Raises HandlerSetupError."""
    return load_handlers(settings.DLQ_HANDLERS)


def handle_in_process(stored: Stored) -> Handled:
    """Decode one payload, find its handler and run it, for as long as it takes.

    Never raises for what an event may do, but SystemExit, KeyboardInterrupt, and the HandlerTimeout of a time
    limit that the caller has set.
    """
    try:
        event, digest = read_event(stored)
    except (MalformedEvent, PayloadTooLarge) as error:
        return Handled(identity_by_position(stored), Failed.from_error(error))
    identity = identity_of(event, digest)
    output.called(identity.event_type, identity.source_key)
    return Handled(identity, _run(event))


def handle_in_time(stored: Stored) -> Handled:
    """The same, and no longer than a handler may take. Only a main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        return handle_in_process(stored)
    try:
        with TimeLimit() as limit:
            return limit.run(settings.DLQ_HANDLER_TIMEOUT, lambda: handle_in_process(stored))
    except HandlerTimeout as error:  # it fell before or after the handler
        return Handled(identify(stored), Failed.from_error(error))


def _run(event: Event) -> Outcome | Unhandled:
    handlers = registry()
    if event.type not in handlers:
        return Unhandled(event.type)
    if event.rehearsal:
        return _rehearse(handlers, event)
    return attempt(handlers, event, limits())


def _rehearse(handlers: Registry, event: Event) -> Outcome | Unhandled:
    """Who does not say that it may run does not; and a write that was refused says nothing of the event."""
    if event.type not in handlers.rehearsable:
        return NotRehearsed(event.type)
    before = refused_writes()
    outcome = attempt(handlers, event, limits())
    wrote = refused_writes() > before or is_refused_write(outcome)
    return Writes(event.type) if wrote else outcome
