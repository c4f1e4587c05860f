"""An event as a table keeps it, and as its handler is to meet it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dlqconsole.processing.events import Event
from dlqconsole.processing.headers import UnreadableHeaders, read_headers, with_headers
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.payloads import decode_stored


@dataclass(slots=True)
class Letter:
    """A dead letter that nobody holds. ``version``: of its payload."""

    id: int
    event_type: str
    payload: str | None
    raw: bytes | None
    headers: Mapping[str, Any]
    source: str
    key: str
    version: int


def letter_of(row: Mapping[str, Any]) -> Letter:
    """From a row of ``rehearse.next``."""
    raw = row["payload_raw"]
    return Letter(
        row["id"],
        row["event_type"],
        row["payload"],
        None if raw is None else bytes(raw),
        read_headers(row["headers"]),
        row["source"],
        row["source_key"],
        row["payload_version"],
    )


class Stored(Protocol):
    """What is read of a dead letter to meet its handler with."""

    event_type: str
    payload: str | None
    raw: bytes | None
    headers: Mapping[str, Any]
    source: str
    key: str


def event_of(stored: Stored, limits: Limits) -> tuple[Event, Any]:
    """What its queue's consumer would meet, and the value of its payload.

    Raises MalformedEvent, PayloadTooLarge.
    """
    # plain data is told who it is, as on a revived message; a CloudEvent names itself
    named = {"ce_type": stored.event_type, "ce_source": stored.source, "ce_id": stored.key}
    headers = with_headers(stored.headers, named)
    if isinstance(headers, UnreadableHeaders):
        headers.refuse()
    value = decode_stored(stored.payload, stored.raw, limits).require()
    return Event.from_payload(value, headers, queue=stored.event_type, message_id=stored.key), value
