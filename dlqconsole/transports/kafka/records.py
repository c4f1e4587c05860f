"""A message as a Kafka record: key, headers and bytes as they were, without our notes, with its revive id."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.core.errors import InvalidMessage
from dlqconsole.pipeline.kafka.headers import GROUP, TOMBSTONE, as_raw
from dlqconsole.pipeline.kafka.records import RawHeaders, is_topic
from dlqconsole.transports.revivals import EVENT_ID
from dlqconsole.transports.sending import sendable_headers

# a record that is sent again carries the same one
REVIVE_ID = "dlq_revive_id"
_OURS = (GROUP, TOMBSTONE)
_IDENTITY = ("ce_source", "ce_id")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A record to publish. ``group``: whose consumers failed, where that is known."""

    value: bytes | None
    key: bytes | None
    headers: RawHeaders
    group: str | None


def outgoing(payload: bytes | str, headers: Mapping[str, Any], dedupe_key: str | None) -> Outgoing:
    """Return the record of a message. Raises InvalidMessage for headers that JSON cannot hold."""
    sendable_headers(headers)
    raw, key = as_raw(_theirs(headers))
    if dedupe_key:
        raw = (*raw, (REVIVE_ID, dedupe_key.encode()))
    value = payload.encode() if isinstance(payload, str) else bytes(payload)
    group = headers.get(GROUP)
    return Outgoing(
        value=None if headers.get(TOMBSTONE) and not value else value,
        key=key,
        headers=raw,
        group=group if isinstance(group, str) else None,
    )


def check_name(topic: str) -> str:
    """Return the name, if a topic may have it. Raises InvalidMessage."""
    if not is_topic(topic):
        raise InvalidMessage("A topic's name has 1 to 249 letters, digits, '.', '_' and '-'.")
    return topic


def _theirs(headers: Mapping[str, Any]) -> dict[str, Any]:
    left_out = {*_OURS, *(_made_up(headers) if EVENT_ID in headers else ())}
    return {name: value for name, value in headers.items() if name not in left_out}


def _made_up(headers: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the identity headers that we added ourselves: the topic's consumers never knew them."""
    source = headers.get("ce_source")
    if "ce_specversion" in headers or not isinstance(source, str) or not source.startswith("kafka:"):
        return ()
    of_topic = headers.get("ce_type") == source.removeprefix("kafka:")
    return (*_IDENTITY, "ce_type") if of_topic else _IDENTITY
