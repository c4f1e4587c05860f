"""A record's key and headers as the headers of a message, which are JSON, and back: to the byte.

Text stands as text. Bytes that are no text, and text that looks like this notation, stand as ``base64:…``.
A header that came several times is a list, one without a value null. Their order among other names is lost.
"""

import base64
import binascii
from collections.abc import Iterable, Mapping
from typing import Any

from .records import RawHeaders

KEY = "x-kafka-key"
GROUP = "x-kafka-group"
TOMBSTONE = "x-kafka-tombstone"
BASE64 = "base64:"


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
        (name, original(value))
        for name, values in headers.items()
        if name != KEY
        for value in (values if isinstance(values, list) else [values])
    )
    return raw, original(headers.get(KEY))


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


def original(value: Any) -> bytes | None:
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
