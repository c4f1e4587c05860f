"""An event as it is stored, who it is, and what came of handling it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from dlqconsole.engine.limits import limits
from dlqconsole.processing.digests import event_digest
from dlqconsole.processing.errors import MalformedEvent, PayloadTooLarge
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import no_handler_for
from dlqconsole.processing.headers import UnreadableHeaders
from dlqconsole.processing.outcomes import Outcome
from dlqconsole.processing.payloads import decode_stored
from dlqconsole.processing.rehearsals import NOT_DECLARED, NOT_REHEARSED, WRITES


@dataclass(frozen=True, slots=True)
class Identity:
    """Who an event is. ``source`` and ``source_key`` together are unique; ``occurred_at`` is in UTC.

    ``digest``: of what it brought (``event_digest``), where it was read.
    """

    event_type: str
    source: str
    source_key: str
    occurred_at: datetime | None = None
    digest: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Stored:
    """An event as a queue or a table keeps it, not decoded yet.

    ``text`` is its JSON, ``raw`` the exact bytes where JSONB could not hold them. ``queue`` and ``key`` name
    the event where it does not name itself, and ``source`` is where it then came from (None: its queue).
    ``rehearsal``: its handler is to run only to see what it would do, and only where it says that it can.
    """

    text: str | None
    raw: bytes | None
    headers: Mapping[str, Any]
    queue: str
    key: str
    source: str | None = None
    rehearsal: bool = False

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
class NotRehearsed(Unhandled):
    """Nothing ran, or nothing that tells anything: the handler cannot be rehearsed. ``why`` in words."""

    why: str = NOT_DECLARED

    @property
    def reason(self) -> str:
        return f"{NOT_REHEARSED}{self.why}"


@dataclass(frozen=True, slots=True)
class Writes(NotRehearsed):
    """It ran and wanted to write, which was refused: what came of it then says nothing of the event."""

    @property
    def reason(self) -> str:
        return WRITES


@dataclass(frozen=True, slots=True)
class Handled:
    """One event after its handler ran, or was looked for: who it is, and what came of it."""

    identity: Identity
    outcome: Outcome | Unhandled


def identify(stored: Stored) -> Identity:
    """Whose event a payload is, without running its handler; by its position where it cannot be read."""
    try:
        return identity_of(*read_event(stored))
    except (MalformedEvent, PayloadTooLarge):
        return identity_by_position(stored)


def event_type_of(stored: Stored) -> str | None:
    """Of which type the event in a payload is; None where it cannot be read, so that no handler is meant."""
    try:
        event, _digest = read_event(stored)
        return event.type
    except (MalformedEvent, PayloadTooLarge):
        return None


def identity_of(event: Event, digest: str) -> Identity:
    """Who an event is, and what it brought."""
    return Identity(event.type, event.source, event.id, event.time, digest)


def identity_by_position(stored: Stored) -> Identity:
    """Who an event is that cannot be read."""
    return Identity(stored.queue, stored.known_as, stored.key)


def read_event(stored: Stored) -> tuple[Event, str]:
    """The event in a payload, and the digest of what it brings. Raises MalformedEvent or PayloadTooLarge."""
    if isinstance(stored.headers, UnreadableHeaders):
        stored.headers.refuse()
    value = decode_stored(stored.text, stored.raw, limits()).require()
    event = Event.from_payload(
        value, stored.headers, queue=stored.queue, message_id=stored.key, source=stored.known_as
    )
    event = replace(event, rehearsal=True) if stored.rehearsal else event
    return event, event_digest(value, stored.raw)
