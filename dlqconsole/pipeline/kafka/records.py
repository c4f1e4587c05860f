"""A record of a topic as it was written, and its key and headers as those of a message.

Value, key and headers are bytes, and stay so. A message's headers are JSON: text stands as text; bytes that
are no text, and text that looks like this notation, stand as ``base64:…``. A header that came several times
is a list, one without a value null. All comes back to the byte; their order among other names is lost.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

KEY = "x-kafka-key"
GROUP = "x-kafka-group"
TOMBSTONE = "x-kafka-tombstone"
BASE64 = "base64:"
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


def as_json(headers: Iterable[tuple[str, bytes | None]], key: bytes | None = None) -> dict[str, Any]:
    """The headers by name, with the key among them."""
    values_by_name: dict[str, list[str | None]] = {}
    for name, value in headers:
        values_by_name.setdefault(name.replace("\x00", "\ufffd"), []).append(as_notation(value))
    result: dict[str, Any] = {
        name: values[0] if len(values) == 1 else values for name, values in values_by_name.items()
    }
    return result if key is None else result | {KEY: as_notation(key)}


def as_raw(headers: Mapping[str, Any]) -> tuple[RawHeaders, bytes | None]:
    """The record's headers, and its key. What is no text of ours is sent as JSON writes it."""
    raw = tuple(
        (name, _original(value))
        for name, values in headers.items()
        if name != KEY
        for value in (values if isinstance(values, list) else [values])
    )
    return raw, _original(headers.get(KEY))


def as_notation(value: bytes | None) -> str | None:
    """Bytes in the notation."""
    if value is None:
        return None
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = BASE64
    if "\x00" in text or text.startswith(BASE64):
        return BASE64 + base64.b64encode(value).decode()
    return text


def _original(value: Any) -> bytes | None:
    """The bytes that were meant."""
    if value is None:
        return None
    text = value if isinstance(value, str) else str(value)
    if text.startswith(BASE64):
        try:
            return base64.b64decode(text.removeprefix(BASE64), validate=True)
        except (ValueError, binascii.Error):
            return text.encode()
    return text.encode()


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
