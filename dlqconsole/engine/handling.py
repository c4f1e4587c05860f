"""Runs a handler on what was claimed, within a time limit, wherever the claim came from."""

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import FrameType
from typing import Any

from django.conf import settings

from dlqconsole.engine.limits import limits
from dlqconsole.processing.errors import MalformedEvent, PayloadTooLarge, TransientError
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import Registry, load_handlers, no_handler_for
from dlqconsole.processing.headers import UnreadableHeaders
from dlqconsole.processing.outcomes import Failed, Outcome, attempt
from dlqconsole.processing.payloads import decode_stored


class HandlerTimeout(TransientError):
    """The handler did not finish in its time."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who an event is. ``source`` and ``source_key`` together are unique; ``occurred_at`` is in UTC."""

    event_type: str
    source: str
    source_key: str
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """An event as a queue or a table keeps it, not decoded yet.

    ``text`` is its JSON, ``raw`` the exact bytes where JSONB could not hold them. ``queue`` and ``key`` name
    the event where it does not name itself, and ``source`` is where it then came from (None: its queue).
    """

    text: str | None
    raw: bytes | None
    headers: Mapping[str, Any]
    queue: str
    key: str
    source: str | None = None

    @property
    def known_as(self) -> str:
        """The source of an event that names none."""
        return self.source or f"queue:{self.queue}"


@dataclass(frozen=True, slots=True)
class Unhandled:
    """Nothing ran: this process has no handler for the event's type. Another may have one.

    It is no failure of the event. Whoever claimed it leaves it as it was, and says so.
    """

    event_type: str

    @property
    def reason(self) -> str:
        return no_handler_for(self.event_type)


@dataclass(frozen=True, slots=True)
class Handled:
    """One event after its handler ran, or was looked for: who it is, and what came of it."""

    identity: Identity
    outcome: Outcome | Unhandled


@cache
def registry() -> Registry:
    """The handlers named in DLQ_HANDLERS, loaded once a process. Raises HandlerSetupError."""
    return load_handlers(settings.DLQ_HANDLERS)


def handle(stored: Stored) -> Handled:
    """Decode one payload, find its handler and run it. Never raises for what an event may do."""
    try:
        event = _read(stored)
    except (MalformedEvent, PayloadTooLarge) as error:
        return Handled(_by_position(stored), Failed.from_error(error))
    return Handled(_identity(event), _run(event))


def identify(stored: Stored) -> Identity:
    """Whose event a payload is, without running its handler; by its position where it cannot be read."""
    try:
        return _identity(_read(stored))
    except (MalformedEvent, PayloadTooLarge):
        return _by_position(stored)


def event_type_of(stored: Stored) -> str | None:
    """Of which type the event in a payload is; None where it cannot be read, so that no handler is meant."""
    try:
        return _read(stored).type
    except (MalformedEvent, PayloadTooLarge):
        return None


def _identity(event: Event) -> Identity:
    return Identity(event.type, event.source, event.id, event.time)


def _by_position(stored: Stored) -> Identity:
    return Identity(stored.queue, stored.known_as, stored.key)


def _read(stored: Stored) -> Event:
    if isinstance(stored.headers, UnreadableHeaders):
        stored.headers.refuse()
    value = decode_stored(stored.text, stored.raw, limits()).require()
    return Event.from_payload(
        value, stored.headers, queue=stored.queue, message_id=stored.key, source=stored.known_as
    )


def _run(event: Event) -> Outcome | Unhandled:
    handlers = registry()
    if event.type not in handlers:
        return Unhandled(event.type)
    try:
        with time_limit(settings.DLQ_HANDLER_TIMEOUT):
            return attempt(handlers, event, limits())
    except HandlerTimeout as error:  # it fell between the handler and the storing of its outcome
        return Failed.from_error(error)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise HandlerTimeout in the block after ``seconds``. Only a main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def expire(signum: int, frame: FrameType | None) -> None:
        raise HandlerTimeout(f"the handler did not finish within {seconds:g} s")

    previous = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
