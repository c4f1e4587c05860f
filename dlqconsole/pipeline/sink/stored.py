"""An event as a table keeps it, and as its handler is to meet it."""

from collections.abc import Mapping
from typing import Any, Protocol

from dlqconsole.processing.events import Event
from dlqconsole.processing.headers import UnreadableHeaders, with_headers
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.payloads import decode_stored


class LetterColumns(Protocol):
    """The columns of a dead letter from which its event is made."""

    event_type: str
    payload: str | None
    raw: bytes | None
    headers: Mapping[str, Any]
    source: str
    key: str


def event_of(letter: LetterColumns, limits: Limits) -> tuple[Event, Any]:
    """Return the event that its queue's consumer would meet, and the value of its payload.

    Raises MalformedEvent, PayloadTooLarge.
    """
    # plain data is told who it is, as on a revived message; a CloudEvent names itself
    identity = {"ce_type": letter.event_type, "ce_source": letter.source, "ce_id": letter.key}
    headers = with_headers(letter.headers, identity)
    if isinstance(headers, UnreadableHeaders):
        headers.refuse()
    value = decode_stored(letter.payload, letter.raw, limits).require()
    return Event.from_payload(value, headers, queue=letter.event_type, message_id=letter.key), value
