"""Publish records and wait until all replicas have them: one producer a process, which its threads share."""

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from dlqconsole.core.errors import EngineError, InvalidMessage, UnknownQueue
from dlqconsole.pipeline.kafka.client import library, producer, servers, words
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.kafka.records import Outgoing

# the whole of one record's way: the relay holds rows of ours locked meanwhile
DELIVERY_SECONDS = 15.0


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
