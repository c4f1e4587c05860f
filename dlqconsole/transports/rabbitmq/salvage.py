"""Messages whose headers the client cannot read: what it can read stays, and the rest comes as raw bytes.

RabbitMQ carries what it never looks at: a time after the year 9999, text that is no UTF-8, tables nested
without end. The client's decoder stops at such a message, and so would its queue. Its header frame is
rewritten first: a header that is wrong becomes ``{"amqp": "unreadable", "value": "<base64>"}``, and a
property that is wrong becomes the header ``x-unreadable-<property>``. Nothing here raises.
"""

import base64
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import amqp
from amqp import spec
from amqp.method_framing import frame_handler
from amqp.serialization import decode_properties_basic, dumps, loads

UNREADABLE = "unreadable"
_METHOD_FRAME, _HEADER_FRAME = 1, 2
# of a message that is got: its method, delivery tag and flags, before the names of exchange and routing key
_BEFORE_NAMES = 4 + 8 + 1
# a frame begins with class, weight and the length of the body
_BEGINNING = 12
_FIRST_FLAG, _HEADERS_FLAG = 0x8000, 0x2000
# bytes of a value by its type; any other begins with its length
_SIZES = dict(zip("tbBUusIiLlfdDTV", (1, 1, 1, 2, 2, 2, 4, 4, 8, 8, 4, 8, 5, 8, 0), strict=True))

type Frame = tuple[int, int, Any]


def frame_reader(connection: Any, callback: Callable[..., Any]) -> Callable[[Frame], Any]:
    """Return the client's reader of frames, to which no header frame comes that it cannot read."""
    read = frame_handler(connection, callback)

    def on_frame(frame: Frame) -> Any:
        kind, channel, content = frame
        if kind == _HEADER_FRAME:
            content = readable(bytes(content))
        elif kind == _METHOD_FRAME and struct.unpack_from(">HH", content) == spec.Basic.GetOk:
            content = _delivered(bytes(content))
        return read((kind, channel, content))

    return on_frame


def readable(frame: bytes) -> bytes:
    """Return a header frame's content: as it is, or one that can be read."""
    beginning, properties = frame[:_BEGINNING], frame[_BEGINNING:]
    for each in (lambda: properties, lambda: _salvaged(properties)):
        with suppress(Exception):  # whatever a producer sent: the next message waits behind it
            decode_properties_basic(rewritten := each(), 0)  # type: ignore[no-untyped-call]
            return beginning + rewritten
    return beginning + _joined({}, _unreadable(b"x-unreadable-properties", properties))


def _delivered(frame: bytes) -> bytes:
    """Return the frame with exchange and routing key in ASCII: nobody here asks for them."""
    names, at = b"", _BEFORE_NAMES
    for _ in range(2):
        end = at + 1 + frame[at]
        name = frame[at + 1 : end].decode(errors="replace").encode("ascii", "replace")
        names, at = names + bytes([len(name)]) + name, end
    return frame[:_BEFORE_NAMES] + names + frame[at:]


def _salvaged(properties: bytes) -> bytes:
    parts, headers = {}, b""
    for flag, name, kind, value in _properties(properties):
        if kind == "F":
            headers += b"".join(_readable_field(*field) for field in _fields(value[4:]))
        elif kind == "s" and not _is_text(value[1:]):
            headers += _unreadable(f"x-unreadable-{name}".encode(), value[1:])
        else:
            parts[flag] = value
    return _joined(parts, headers)


def _joined(parts: dict[int, bytes], headers: bytes) -> bytes:
    parts = parts | {_HEADERS_FLAG: struct.pack(">I", len(headers)) + headers}
    return struct.pack(">H", sum(parts)) + b"".join(parts[flag] for flag in sorted(parts, reverse=True))


def _properties(properties: bytes) -> Iterator[tuple[int, str, str, bytes]]:
    """Yield each property that is there: its flag, name and type, and its bytes with their length."""
    (flags,), at = struct.unpack_from(">H", properties), 2
    for place, (name, kind) in enumerate(amqp.Message.PROPERTIES):
        flag = _FIRST_FLAG >> place
        if flags & flag:
            size = {"s": 1 + properties[at], "o": 1, "L": 8}.get(kind) or _long(properties, at)
            yield flag, name, kind, properties[at : at + size]
            at += size


def _fields(table: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name of each header, and its bytes with their type."""
    at = 0
    while at < len(table):
        begin = at + 1 + table[at]
        size = _SIZES.get(chr(table[begin]))
        end = begin + 1 + (_long(table, begin + 1) if size is None else size)
        yield table[at + 1 : begin], table[begin:end]
        at = end


def _readable_field(name: bytes, value: bytes) -> bytes:
    field = bytes([len(name)]) + name + value
    try:
        loads("F", struct.pack(">I", len(field)) + field, 0)
        return field
    except Exception:
        return _unreadable(name, value)


def _unreadable(name: bytes, value: bytes) -> bytes:
    note = {"amqp": UNREADABLE, "value": base64.b64encode(value).decode()}
    table: bytes = dumps("F", [note])
    return bytes([len(name)]) + name + b"F" + table


def _long(content: bytes, at: int) -> int:
    """Return the size of a value that begins with its length, with that length."""
    return 4 + int(struct.unpack_from(">I", content, at)[0])


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
