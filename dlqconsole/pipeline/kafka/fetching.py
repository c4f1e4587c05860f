"""Fetch single records by their place: payloads that a dead-letter topic does not copy."""

import time
from types import TracebackType
from typing import Any, Self

from .client import consumer, library
from .options import KafkaOptions
from .records import Record

FETCH_SECONDS = 5.0


class Fetching:
    """A consumer for single records, opened when the first one is asked for."""

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options
        self._client: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._client is not None:
            self._client.close()

    def fetch(self, topic: str, partition: int, offset: int) -> Record | None:
        """The record at a place; None where it is gone, or nobody answers in a few seconds."""
        if self._client is None:
            self._client = consumer(self._options.client)
        self._client.assign([library().TopicPartition(topic, partition, offset)])
        deadline = time.monotonic() + FETCH_SECONDS
        while time.monotonic() < deadline:
            message = self._client.poll(0.5)
            if message is None:
                continue
            is_it = message.error() is None and message.offset() == offset
            return Record.of(message) if is_it else None
        return None
