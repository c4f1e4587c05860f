"""A message as a Kafka record: key, headers and bytes as they were, without our notes; and its publication.

There is one producer a process, which its threads share. It waits until all replicas have the record.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from dlqconsole.core.errors import EngineError, InvalidMessage, UnknownQueue
from dlqconsole.pipeline.kafka.client import library, producer, servers, words
from dlqconsole.pipeline.kafka.records import GROUP, TOMBSTONE, RawHeaders, as_raw, is_topic
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.revivals import EVENT_ID
from dlqconsole.transports.sending import sendable_headers

# a record that is sent again carries the same one
REVIVE_ID = "dlq_revive_id"
_OURS = (GROUP, TOMBSTONE)
_IDENTITY = ("ce_source", "ce_id")
# the whole of one record's way: the relay holds rows of ours locked meanwhile
DELIVERY_SECONDS = 15.0


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


def publish(properties: Mapping[str, str], topic: str, record: Outgoing) -> tuple[int, int]:
    """Publish one record. Return its partition and offset.

    Raises InvalidMessage for one that no broker takes, UnknownQueue, TransportUnavailable: then nobody knows
    whether it is there.
    """
    reports: list[tuple[Any, Any]] = []
    sending = _producer(os.getpid(), tuple(sorted(properties.items())))
    try:
        sending.produce(
            topic,
            record.value,
            record.key,
            headers=list(record.headers),
            on_delivery=lambda error, message: reports.append((error, message)),
        )
    except (library().KafkaException, BufferError) as error:
        raise _explain(properties, topic, error.args[0] if error.args else error) from None
    while not reports:
        sending.poll(DELIVERY_SECONDS)
    problem, message = reports[0]
    if problem is not None:
        raise _explain(properties, topic, problem)
    return message.partition(), message.offset()


@cache
def _producer(_process: int, properties: tuple[tuple[str, str], ...]) -> Any:
    """Return the process's own producer: after a fork the parent's is not ours to use."""
    return producer({**dict(properties), "message.timeout.ms": str(int(DELIVERY_SECONDS * 1000))})


def _explain(properties: Mapping[str, str], topic: str, error: Any) -> EngineError:
    codes = library().KafkaError
    code = error.code() if hasattr(error, "code") else None
    if code in (codes.MSG_SIZE_TOO_LARGE, codes.INVALID_RECORD, codes.INVALID_MSG):
        return InvalidMessage(f"The record cannot be sent: {words(error)}.")
    if code in (codes.UNKNOWN_TOPIC_OR_PART, codes._UNKNOWN_TOPIC, codes._UNKNOWN_PARTITION):
        return UnknownQueue(f"{servers(properties)} has no topic {topic!r}.")
    return TransportUnavailable(f"{servers(properties)} did not take a record of {topic!r}: {words(error)}.")
