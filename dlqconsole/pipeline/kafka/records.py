"""A record of a topic as it was written: value, key and headers are bytes, and stay so."""

import re
from dataclasses import dataclass
from typing import Any, Self

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")

type RawHeaders = tuple[tuple[str, bytes | None], ...]


@dataclass(frozen=True, slots=True)
class Record:
    """One record. ``timestamp``: milliseconds since 1970, None where the topic has none.

    ``value`` is None for a tombstone, which says that its key is gone.
    """

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: RawHeaders = ()
    timestamp: int | None = None
    timestamp_type: int = 0

    @property
    def place(self) -> str:
        """Its place: kafka:orders/3-17."""
        return f"kafka:{self.topic}/{self.partition}-{self.offset}"

    @classmethod
    def of(cls, message: Any) -> Self:
        """A message of the client library."""
        kind, moment = message.timestamp()
        return cls(
            message.topic(),
            message.partition(),
            message.offset(),
            _bytes(message.key()),
            _bytes(message.value()),
            tuple((name, _bytes(value)) for name, value in message.headers() or ()),
            moment if kind else None,
            # Spark's numbers: 0 when it was made, 1 when it was appended
            max(kind - 1, 0),
        )


def is_topic(name: str) -> bool:
    """Tell whether a topic can be called so."""
    return bool(_TOPIC.fullmatch(name)) and name not in (".", "..")


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
