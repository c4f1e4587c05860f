"""A message of SQS as a dead letter, and a dead letter as a message of SQS.

Its attributes are headers: text as it is, anything else with its type. What SQS itself notes of a message has
headers that begin with ``x-sqs-``.
"""

import base64
from collections.abc import Mapping
from typing import Any

from dlqconsole.core.errors import InvalidMessage
from dlqconsole.core.handling import StoredEvent, identify
from dlqconsole.core.settings import limits
from dlqconsole.processing.inputs.plain_text import is_storable
from dlqconsole.processing.payloads import decode
from dlqconsole.processing.texts import sanitise_text
from dlqconsole.transports.dead_letters import NewDeadLetter, headers_text
from dlqconsole.transports.exhausted import exhaustion, status_of
from dlqconsole.transports.revivals import EVENT_ID, REVIVE_SEQ, revival

# the same for each copy of one revival, as on Kafka's topics; it says which revival a message is
MARK = "dlq_revive_id"
MOST_ATTRIBUTES = 10
OURS = "x-sqs-"
FROM, SOURCE, GROUP, TRACE = f"{OURS}dead-letter-queue", f"{OURS}source", f"{OURS}group", f"{OURS}trace"
_NOTES = {
    "DeadLetterQueueSourceArn": SOURCE,
    "MessageGroupId": GROUP,
    "AWSTraceHeader": TRACE,
    "MessageDeduplicationId": f"{OURS}deduplication-id",
    "SequenceNumber": f"{OURS}sequence-number",
    "SenderId": f"{OURS}sender",
    "SentTimestamp": f"{OURS}sent-at-ms",
    "ApproximateFirstReceiveTimestamp": f"{OURS}first-received-at-ms",
    "ApproximateReceiveCount": f"{OURS}receive-count",
}


def new_dead_letter(message: Mapping[str, Any], queue: str, name: str) -> NewDeadLetter:
    """Return what a received message becomes. ``name``: the queue's, with its system."""
    headers = _headers(message, queue)
    body = message["Body"].encode(errors="surrogatepass")
    content = decode(body, limits())
    payload, raw = (content.json_text, None) if content.state == "ok" else (None, body)
    source = str(headers.get(SOURCE, queue)).rpartition(":")[2]
    identity = identify(StoredEvent(payload, raw, headers, source, message["MessageId"], source=name))
    # the receive that takes it over is no delivery
    deliveries = max(0, int(headers.get(f"{OURS}receive-count", 1)) - 1)
    return NewDeadLetter(
        message_id=message["MessageId"],
        payload=payload,
        payload_raw=raw,
        headers=headers_text(headers),
        identity=identity,
        failure=exhaustion(deliveries),
        status=status_of(identity.event_type),
        revival=revival(headers),
        worker=f"dead-letter queue {queue}",
        attempts=deliveries,
    )


def source_of(queue: str, headers: Mapping[str, Any]) -> str:
    """Return the queue where a message of this dead-letter queue failed; empty where that is not noted."""
    return str(headers.get(SOURCE, "")).rpartition(":")[2] if headers.get(FROM) == queue else ""


def outgoing(
    payload: bytes | str, headers: Mapping[str, Any], dedupe_key: str | None, *, is_fifo: bool
) -> dict[str, Any]:
    """Return the parameters of a message to send. Raises InvalidMessage."""
    try:
        body = payload if isinstance(payload, str) else bytes(payload).decode()
    except UnicodeDecodeError:
        raise InvalidMessage("It is no text, and SQS holds text only.") from None
    if not body:
        raise InvalidMessage("It is empty, and a message of SQS has one character at least.")
    attributes = {name: _attribute(name, value) for name, value in _theirs(headers).items()}
    if dedupe_key and len(attributes) < MOST_ATTRIBUTES:
        attributes[MARK] = _attribute(MARK, dedupe_key)
    sent: dict[str, Any] = {"MessageBody": body, "MessageAttributes": attributes}
    if headers.get(TRACE):
        sent["MessageSystemAttributes"] = {"AWSTraceHeader": _attribute(TRACE, headers[TRACE])}
    if headers.get(GROUP) or is_fifo:
        sent["MessageGroupId"] = str(headers.get(GROUP) or "dlqconsole")
    if is_fifo and dedupe_key:
        sent["MessageDeduplicationId"] = dedupe_key
    return sent


def _headers(message: Mapping[str, Any], queue: str) -> dict[str, Any]:
    headers: dict[str, Any] = {
        _name(name): _value(each) for name, each in message.get("MessageAttributes", {}).items()
    }
    _dlq, _colon, place = str(headers.pop(MARK, "")).partition(":")
    letter, _colon, sequence = place.partition(":")
    if sequence:
        headers |= {EVENT_ID: letter, REVIVE_SEQ: sequence}
    notes = message.get("Attributes", {})
    return headers | {_NOTES[name]: notes[name] for name in _NOTES if name in notes} | {FROM: queue}


def _name(name: str) -> str:
    """Return an attribute's name. One that looks like a note of SQS's must not be taken for one."""
    return f"{OURS}attribute-{sanitise_text(name)}" if name.startswith(OURS) else sanitise_text(name)


def _value(attribute: Mapping[str, Any]) -> Any:
    kind, text = sanitise_text(str(attribute.get("DataType"))), str(attribute.get("StringValue", ""))
    raw = attribute.get("BinaryValue")
    if raw is None and not is_storable(text):
        raw = text.encode(errors="surrogatepass")
    if raw is not None:
        return {"type": kind, "base64": base64.b64encode(raw).decode()}
    return text if kind == "String" else {"type": kind, "value": text}


def _theirs(headers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes: without SQS's notes and ours, and without names that were no attributes."""
    left_out = {EVENT_ID, REVIVE_SEQ, *_made_up(headers)}
    return {
        name: value for name, value in headers.items() if name not in left_out and not name.startswith(OURS)
    }


def _made_up(headers: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the identity headers that a revive added: the message never had them as attributes."""
    if not str(headers.get("ce_source", "")).startswith("sqs:"):
        return ()
    origin = str(headers.get(SOURCE, headers.get(FROM))).rpartition(":")[2]
    return ("ce_source", "ce_id", "ce_type") if headers.get("ce_type") == origin else ("ce_source", "ce_id")


def _attribute(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping) and isinstance(value.get("type"), str):
        if "base64" in value:
            return {"DataType": value["type"], "BinaryValue": base64.b64decode(str(value["base64"]))}
        return {"DataType": value["type"], "StringValue": str(value.get("value", ""))}
    if not isinstance(value, str):
        raise InvalidMessage(f"The header {name} is no text, and an attribute of SQS is.")
    if "\x00" in value:
        raise InvalidMessage(f"The header {name} has a NUL character in it, and SQS takes none.")
    return {"DataType": "String", "StringValue": value}
