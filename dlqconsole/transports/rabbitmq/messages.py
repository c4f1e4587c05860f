"""A message of RabbitMQ as the dead letter that it becomes, and a dead letter's message as it is sent there.

The header ``x-rabbitmq`` keeps what AMQP says beside the producer's headers: the queue where it failed, the
dead-letter queue on which it was, and its properties. It is not sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import uuid4

import amqp

from dlqconsole.core.errors import InvalidMessage
from dlqconsole.core.handling import Identity, StoredEvent, identify
from dlqconsole.core.settings import limits
from dlqconsole.processing.payloads import decode
from dlqconsole.processing.texts import sanitise_text
from dlqconsole.transports.dead_letters import NewDeadLetter, headers_text
from dlqconsole.transports.exhausted import status_of
from dlqconsole.transports.rabbitmq.dialects import DELIVERIES, EARLIEST, ForeignFailure, is_note, recognise
from dlqconsole.transports.rabbitmq.fields import PROPERTIES, as_amqp, as_json, is_unreadable, named_headers
from dlqconsole.transports.revivals import revival
from dlqconsole.transports.sending import sendable_headers

NOTE = "x-rabbitmq"
# a message that is sent again carries the same one
REVIVE_ID = "dlq_revive_id"
PERSISTENT = 2
# By these the broker would send copies to more queues than the one that failed.
_COPIES = ("CC", "BCC")
# CloudEvents over AMQP, by our names
_CLOUDEVENT = {
    f"cloudEvents{mark}{name}": f"ce_{name}"
    for mark in (":", "_")
    for name in ("id", "source", "type", "time")
}


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to publish by the default exchange, to one queue."""

    queue: str
    message: Any


def digest_of(message: Any) -> str:
    """Return what a message is known by when it is delivered again: all of it, and when it died."""
    properties = dict(message.properties)
    headers = properties.pop("application_headers", None) or {}
    theirs = {name: value for name, value in headers.items() if name not in DELIVERIES}
    whole = repr((sorted(properties.items()), theirs, _body(message)))
    return sha256(whole.encode(errors="surrogatepass")).hexdigest()[:32]


def new_dead_letter(message: Any, name: str, queue: str, now: datetime) -> NewDeadLetter:
    """Return the dead letter of a message of the dead-letter queue; ``name`` is the queue's name here.

    ``now``: the database's time, which no failure comes after. Never raises for what the message holds.
    """
    properties = message.properties
    headers = named_headers(properties.get("application_headers") or {})
    foreign = recognise(headers, queue)
    content = decode(_body(message), limits())
    kept_headers = as_json(
        {each: value for each, value in headers.items() if each == "x-death" or not is_note(each)}
    )
    key = sanitise_text(str(properties.get("message_id") or "")) or _new_key(message, now)
    identity = _identity(foreign, kept_headers, properties, key, name, content.json_text, content.raw)
    kept_headers |= as_json({fact: value for fact, value in foreign.facts.items() if value not in (None, "")})
    kept_headers[NOTE] = {
        "queue": foreign.queue,
        "from": queue,
        "properties": as_json({each: properties[each] for each in PROPERTIES if each in properties}),
    }
    return NewDeadLetter(
        # unique in its page
        message_id=f"{key} ({message.delivery_info['delivery_tag']})",
        payload=content.json_text,
        payload_raw=content.raw,
        headers=headers_text(kept_headers),
        identity=identity,
        failure=foreign.failure,
        status=status_of(identity.event_type),
        revival=revival(headers),
        worker=foreign.noted_by or name,
        attempts=1,
        failed_at=_within(foreign.failed_at, now),
    )


def outgoing(
    queue: str, payload: bytes | str, headers: Mapping[str, Any], dedupe_key: str | None
) -> Outgoing:
    """Return the message, and the queue that it goes to: of what was taken from this queue, where it failed.

    Raises InvalidMessage, also where nobody noted that.
    """
    sendable_headers(headers)
    note = headers.get(NOTE)
    note = note if isinstance(note, dict) else {}
    target = note.get("queue") if note.get("from") == queue else queue
    if not target:
        raise InvalidMessage("Nobody noted on which queue it failed: revive it to a queue that you name.")
    properties = as_amqp(note.get("properties") or {})
    theirs = {
        name: as_amqp(value)
        for name, value in headers.items()
        if name != NOTE and name not in _COPIES and not is_note(name) and not is_unreadable(value)
    }
    if dedupe_key:
        theirs[REVIVE_ID] = dedupe_key
    known = {name: value for name, value in properties.items() if name in PROPERTIES}
    message = amqp.Message(
        payload.encode() if isinstance(payload, str) else bytes(payload),
        application_headers=theirs,
        **({"delivery_mode": PERSISTENT} | known),
    )
    return Outgoing(str(target), message)


def _identity(
    foreign: ForeignFailure,
    kept: Mapping[str, Any],
    properties: Mapping[str, Any],
    key: str,
    name: str,
    text: str | None,
    raw: bytes | None,
) -> Identity:
    """Return who the event is: a CloudEvent as it says, any other by its queue and message id."""
    headers = {ours: kept[theirs] for theirs, ours in _CLOUDEVENT.items() if theirs in kept} | dict(kept)
    source = f"{name.partition(':')[0]}:{foreign.queue}" if foreign.queue else name
    its_type = foreign.event_type or sanitise_text(str(properties.get("type") or ""))
    event_type = its_type or foreign.queue or name
    return identify(StoredEvent(text, raw, headers, queue=event_type, key=key, source=source))


def _new_key(message: Any, now: datetime) -> str:
    """Return a key for a message that names none. Dead letters are written in the order of their keys."""
    return f"{now:%Y%m%dT%H%M%S.%f}-{message.delivery_info['delivery_tag']:08}-{uuid4().hex[:8]}"


def _within(moment: datetime | None, now: datetime) -> datetime | None:
    """Return when it failed by another clock; None for what cannot be."""
    return moment if moment and EARLIEST < moment <= now else None


def _body(message: Any) -> bytes:
    body = message.body
    return body.encode() if isinstance(body, str) else bytes(body)
