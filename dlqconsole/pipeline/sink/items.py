"""Items from the bytes of events, whether they came from a file, a frame or a topic."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any

from dlqconsole.processing.errors import MalformedEvent, PayloadTooLarge
from dlqconsole.processing.events import Event, event_digest
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.outcomes import Failed, Outcome
from dlqconsole.processing.payloads import decode
from dlqconsole.processing.strict_json import Decoded

from .executors import Attempt
from .names import TYPE_LIMIT, storable_name, storable_type

UNDECODABLE = "undecodable"

type Headers = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EventOrigin:
    """The origin of events: a file, a topic, a job.

    ``source`` and ``default_type`` are those of events that name none of their own. ``headers`` stand in
    each dead letter of it, {"dlq_file": "orders.jsonl"} say; what begins with dlq_ stays behind at a revive.
    """

    name: str
    source: str
    default_type: str = "events"
    headers: Headers = field(default_factory=dict)


@dataclass(slots=True)
class EventLine:
    """The bytes of one event, and where they stood in their origin.

    ``position`` goes into the headers of a dead letter, such as {"dlq_line": 3}; ``place`` begins a sentence
    about it, such as "line 3". ``size`` and ``sha256`` are of the whole where only its beginning is kept.
    """

    value: bytes
    position: Headers = field(default_factory=dict)
    place: str = ""
    size: int = 0
    sha256: str | None = None

    def __post_init__(self) -> None:
        self.size = self.size or len(self.value)


@dataclass(slots=True)
class Item:
    """One event on its way: who it is, what it brought, and, once its handler ran, what came of it.

    An item that comes with an outcome has no handler run.
    """

    origin: EventOrigin
    line: EventLine
    event_type: str
    source: str
    key: str
    # known by where it stood, because it does not name itself
    by_position: bool
    event: Event | None
    payload: str | None
    raw: bytes | None
    outcome: Outcome | None = None
    # the queue to which a revive sends it; None: the one named after its type
    queue: str | None = None
    # the headers of the message that brought it
    headers: Headers = field(default_factory=dict)
    # the dead letter under whose source and id it came, with other bytes
    same_id_as: int | None = None
    # the id under which it came, where another event with other bytes has that
    came_as: str = ""
    # of its payload, as event_digest gives it
    digest: str = ""

    @property
    def line_digest(self) -> str:
        """The digest of the bytes of its line."""
        return md5(self.line.value, usedforsecurity=False).hexdigest()


def item_of(
    line: EventLine,
    origin: EventOrigin,
    key: str,
    headers: Headers,
    limits: Limits,
    failure: Failed | None = None,
) -> Item:
    """Read who an event is. Never raises for what it may hold: its item then has failed already.

    A CloudEvent names itself, by its attributes or by ``ce_`` headers; any other event is known by the
    source of its origin and by ``key``. With ``failure`` it has failed elsewhere: it becomes a dead letter
    of that failure, and no handler runs.
    """
    source = _RawEvent(line, origin, storable_name(key), headers, failure)
    if line.size > limits.payload_bytes:
        problem = f"the payload is {line.size:,} bytes long, more than {limits.payload_bytes:,}"
        return source.undecodable(None, PayloadTooLarge(problem))
    document = decode(line.value, limits)
    try:
        return source.readable(document)
    except (MalformedEvent, PayloadTooLarge) as error:
        return source.undecodable(document.json_text, error)


def unreadable(line: EventLine, origin: EventOrigin, key: str, problem: str) -> Item:
    """The one dead letter of what cannot be read at all, such as a file; `line` holds its bytes."""
    return _RawEvent(line, origin, storable_name(key), {}, None).undecodable(None, MalformedEvent(problem))


def handle(item: Item, attempt: Attempt) -> None:
    """Run the handler of an item that can be read."""
    if item.outcome is None and item.event is not None:
        item.outcome = attempt(item.event)


def poison(item: Item, error: Exception) -> None:
    """The database refused this one row: keep its bytes, and the refusal as its reason."""
    item.outcome = Failed.from_error(error)
    item.payload, item.raw = None, item.line.value


@dataclass(frozen=True, slots=True)
class _RawEvent:
    """The facts about an event before it is read."""

    line: EventLine
    origin: EventOrigin
    key: str
    headers: Headers
    failure: Failed | None

    def readable(self, document: Decoded) -> Item:
        """The item of an event that can be read. Raises MalformedEvent, PayloadTooLarge."""
        value = document.require()
        names_itself = isinstance(value, dict) and "specversion" in value
        event = self._event(value, names_itself)
        raw = document.raw if names_itself else self.line.value
        return Item(
            origin=self.origin,
            line=self.line,
            event_type=storable_type(event.type),
            source=storable_name(event.source),
            key=storable_name(event.id),
            by_position=not names_itself,
            event=event,
            payload=document.json_text,
            raw=raw,
            outcome=self.failure,
            headers=self.headers,
            digest=event_digest(value, raw),
        )

    def undecodable(self, payload: str | None, error: Exception) -> Item:
        """The item of what cannot be read; what has failed elsewhere keeps that failure."""
        return Item(
            origin=self.origin,
            line=self.line,
            event_type=storable_type(self.origin.default_type) if self.failure else UNDECODABLE,
            source=storable_name(self.origin.source),
            key=self.key,
            by_position=True,
            event=None,
            payload=payload,
            raw=self.line.value,
            outcome=self.failure or Failed.from_error(type(error)(self._sentence(error))),
            headers=self.headers,
            digest=event_digest(None, self.line.value),
        )

    def _event(self, value: Any, names_itself: bool) -> Event:
        if names_itself:
            return Event.from_payload(value, self.headers, queue="", message_id="")
        # the data of an event that does not name itself: where it stood does
        by_place = {"ce_source": self.origin.source, "ce_id": self.key, **self.headers}
        return Event.from_payload(value, by_place, queue=self.origin.default_type, message_id=self.key)

    def _sentence(self, error: Exception) -> str:
        # a payload of one line: its own line number would only confuse
        problem = str(error).replace(" at line 1, ", " at ", 1)
        return f"{self.line.place}: {problem}" if self.line.place else problem


def long_type(item: Item) -> str | None:
    """The event's type where the column holds only its beginning."""
    return item.event.type if item.event and len(item.event.type) > TYPE_LIMIT else None
