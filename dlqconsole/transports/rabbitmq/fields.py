"""A message's headers and properties as JSON, and back.

AMQP knows more types than JSON. What JSON cannot hold stands as ``{"amqp": "bytes", "value": "…"}``, also
bytes that are no text and text with a NUL in it, which PostgreSQL refuses.
"""

import base64
import binascii
import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from dlqconsole.processing.texts import sanitise_text
from dlqconsole.transports.rabbitmq.salvage import UNREADABLE

# restored by a revive. Left out: user_id, which only its own account may use, and expiration, or it would
# expire once more before anybody came to it.
PROPERTIES = (
    "content_type", "content_encoding", "delivery_mode", "priority", "correlation_id", "reply_to",
    "message_id", "timestamp", "type", "app_id",
)  # fmt: skip
MOST_LEVELS = 50
_SURROGATE = re.compile("[\ud800-\udfff]")
_TYPE, _VALUE = "amqp", "value"


def named_headers(headers: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the headers by names that are text; the client leaves a name that is no UTF-8 as bytes."""
    return {_name(name): value for name, value in headers.items()}


def is_unreadable(value: Any) -> bool:
    """Tell whether a header stands for bytes that nobody could read, and so nobody can send."""
    return isinstance(value, dict) and value.get(_TYPE) == UNREADABLE


def as_json(value: Any, levels: int = MOST_LEVELS) -> Any:
    """Return a value of AMQP as one of JSON. What is nested deeper than anybody means it is left out."""
    match value:
        case bool() | int() | None:
            return value
        case str():
            raw = value.encode(errors="surrogatepass")
            return value if _is_storable(value) else _typed("bytes", _base64(raw))
        case bytes() | bytearray() | memoryview():
            return _typed("bytes", _base64(bytes(value)))
        case float():
            return value if math.isfinite(value) else _typed("double", str(value))
        case Decimal():
            return _typed("decimal", str(value))
        case datetime():
            return _typed("timestamp", value.replace(tzinfo=UTC).isoformat())
        case Mapping() if levels:
            return {_name(name): as_json(each, levels - 1) for name, each in value.items()}
        case list() | tuple() if levels:
            return [as_json(each, levels - 1) for each in value]
    return None


def as_amqp(value: Any) -> Any:
    """Return the value that was meant. What is no notation of ours is as JSON has it."""
    if isinstance(value, list):
        return [as_amqp(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_TYPE, _VALUE} and isinstance(value[_VALUE], str):
        try:
            return _READERS[value[_TYPE]](value[_VALUE])
        except (KeyError, TypeError, ValueError, InvalidOperation, binascii.Error):
            pass
    return {name: as_amqp(each) for name, each in value.items()}


_READERS: Mapping[str, Callable[[str], Any]] = {
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "double": float,
    "decimal": Decimal,
    "timestamp": datetime.fromisoformat,
}


def _typed(kind: str, value: str) -> dict[str, str]:
    return {_TYPE: kind, _VALUE: value}


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _name(name: Any) -> str:
    return sanitise_text(name if isinstance(name, str) else bytes(name).decode(errors="backslashreplace"))


def _is_storable(text: str) -> bool:
    return "\x00" not in text and not _SURROGATE.search(text)
