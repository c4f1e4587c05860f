"""A stored event, its identity, and the result of handling it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dlqconsole.core.settings import limits
from dlqconsole.processing.errors import MalformedEvent, PayloadTooLarge
from dlqconsole.processing.events import Event, event_digest
from dlqconsole.processing.handlers import no_handler_for
from dlqconsole.processing.headers import UnreadableHeaders
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.outcomes import Outcome
from dlqconsole.processing.payloads import decode_stored


@dataclass(frozen=True, slots=True)
class Identity:
    """An event's identity. ``source`` and ``source_key`` are unique together; ``occurred_at`` is in UTC.

    ``digest``: of what it brought (``event_digest``), where it was read.
    """

    event_type: str
    source: str
    source_key: str
    occurred_at: datetime | None = None
    digest: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as a queue or a table keeps it, not decoded yet.

    ``text`` is its JSON, ``raw`` the exact bytes where JSONB could not hold them. ``queue`` and ``key`` name
    the event where it does not name itself, and ``source`` is where it then came from (None: its queue).
    ``is_retry``: it was tried before, so that a batch handler has it by itself.
    """

    text: str | None
    raw: bytes | None
    headers: Mapping[str, Any]
    queue: str
    key: str
    source: str | None = None
    is_retry: bool = False

    @property
    def known_as(self) -> str:
        """The source of an event that names none."""
        return self.source or f"queue:{self.queue}"


@dataclass(frozen=True, slots=True)
class Unhandled:
    """An outcome: nothing ran, since this process has no handler for the type. Another may have one.

    It is no failure of the event. The claimant leaves it as it was, and reports that.
    """

    event_type: str

    @property
    def reason(self) -> str:
        return no_handler_for(self.event_type)


@dataclass(frozen=True, slots=True)
class HandlerResult:
    """The result of handling an event, or of looking for its handler: its identity and its outcome."""

    identity: Identity
    outcome: Outcome | Unhandled


def identify(raw_event: StoredEvent) -> Identity:
    """Identify a payload's event without running its handler; by its position where it is unreadable."""
    try:
        return identity_of(*read_event(raw_event))
    except (MalformedEvent, PayloadTooLarge):
        return identity_by_position(raw_event)


def event_type_of(raw_event: StoredEvent) -> str | None:
    """Return the type of a payload's event; None where it is unreadable, so that no handler is meant."""
    try:
        event, _digest = read_event(raw_event)
        return event.type
    except (MalformedEvent, PayloadTooLarge):
        return None


def identity_of(event: Event, digest: str) -> Identity:
    """Return a readable event's identity, with its digest."""
    return Identity(event.type, event.source, event.id, event.time, digest)


def identity_by_position(raw_event: StoredEvent) -> Identity:
    """Return the identity of an unreadable event."""
    return Identity(raw_event.queue, raw_event.known_as, raw_event.key)


def read_event(raw_event: StoredEvent, bounds: Limits | None = None) -> tuple[Event, str]:
    """Return a payload's event and its digest. Raises MalformedEvent or PayloadTooLarge.

    ``bounds``: in place of the settings, for a worker that does not have them.
    """
    if isinstance(raw_event.headers, UnreadableHeaders):
        raw_event.headers.refuse()
    value = decode_stored(raw_event.text, raw_event.raw, bounds or limits()).require()
    event = Event.from_payload(
        value, raw_event.headers, queue=raw_event.queue, message_id=raw_event.key, source=raw_event.known_as
    )
    return event, event_digest(value, raw_event.raw)
