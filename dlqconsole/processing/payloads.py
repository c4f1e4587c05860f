"""Read the bytes of one payload strictly, and say what PostgreSQL's jsonb can hold of them.

Ordinary payloads take the quick road: orjson parses them, and a few byte searches prove that
nothing doubtful is in them. Everything else is read by `strict_json`, slowly and with positions.
"""

import re
from typing import Any

import orjson

from .inputs.sentences import stored
from .json_hazards import MAX_DEPTH
from .limits import DEFAULT_LIMITS, Limits
from .strict_json import OK, TOO_LARGE, Decoded, read_strictly

TOO_LONG = stored("the payload is {size:,} bytes long, more than {most:,}")

# These searches match inside strings too: such a payload only takes the slow road for nothing.
# Classes of characters become one character first, because searching for a fixed piece of text is
# ten times as fast as a pattern.
_EXPONENT = re.compile(rb"[0-9][eE][-+]?[0-9]++(?:[\s,\]}]|\Z)")
_SPACES = re.compile(rb'"(?:[^"\\]++|\\.)*+"|([ \t\r\n]++)', re.DOTALL)
_BEFORE_VALUES = bytes.maketrans(b":[ \t\n\r", b",,,,,,")
_SHAPE = bytes.maketrans(b"0123456789.+-eE", b"00000000000--ee")
_LONG_NUMBER = b"0" * 17  # fifteen digits are what every float keeps; and room for the point


def decode(payload: bytes | bytearray | memoryview | str, limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """Read one JSON document within the limits. Never raises for bad input: see Decoded."""
    raw = _bytes(payload)
    return _decode(raw, len(raw), limits)


def decode_text(text: str, limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """Read a document as jsonb or a person wrote it: the spaces between its words are not counted.

    What was let in within the limit can so be read again, whatever jsonb adds.
    """
    raw = _bytes(text)
    size = len(raw)
    if limits.payload_bytes < size:
        size -= sum(len(match[1]) for match in _SPACES.finditer(raw) if match[1])
    return _decode(raw, size, limits)


def decode_stored(text: str | None, raw: bytes | memoryview | None, limits: Limits) -> Decoded:
    """Read a payload as it is kept: `raw`, its exact bytes, or where there are none jsonb's `text`."""
    return decode(raw, limits) if raw is not None else decode_text(text or "", limits)


def _bytes(payload: bytes | bytearray | memoryview | str) -> bytes:
    return payload.encode("utf-8", "surrogatepass") if isinstance(payload, str) else bytes(payload)


def _decode(raw: bytes, size: int, limits: Limits) -> Decoded:
    if size > limits.payload_bytes:
        problem = TOO_LONG.format(size=size, most=limits.payload_bytes)
        return Decoded(TOO_LARGE, raw=raw, problem=problem)
    return read_quickly(raw, limits.payload_keys) or read_strictly(raw, limits.payload_keys)


def read_quickly(raw: bytes, most_keys: int = DEFAULT_LIMITS.payload_keys) -> Decoded | None:
    """Return the payload when it is beyond doubt; None means that the strict reader must decide."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    quotes = raw.count(b'"')
    if b"\\" in raw:
        if b"\\\\" in raw or b"\\u0000" in raw:
            return None
        quotes -= raw.count(b'\\"')
    keys, strings, depth, floats = _survey(value)
    # The parser keeps one of two equal keys. As many quotes as the value needs: none was lost.
    if quotes != 2 * (keys + strings) or keys > most_keys or depth > MAX_DEPTH:
        return None
    if _has_minus_zero(raw) or (floats and _has_doubtful_number(raw)):
        return None
    return Decoded(OK, value, raw.decode())


def _has_minus_zero(raw: bytes) -> bool:
    return b"-0" in raw and (b",-0" in raw.translate(_BEFORE_VALUES) or raw.startswith(b"-0"))


def _has_doubtful_number(raw: bytes) -> bool:
    """Tell whether a float may not hold one of the numbers, or jsonb would write it in other words."""
    shape = raw.translate(_SHAPE)
    if _LONG_NUMBER in shape:
        return True
    return (b"0e0" in shape or b"0e-" in shape) and bool(_EXPONENT.search(raw))


def _survey(value: Any) -> tuple[int, int, int, bool]:
    """Count keys, string values and levels of a parsed document; say whether a number is a float."""
    if type(value) is not dict and type(value) is not list:
        return 0, int(type(value) is str), 0, type(value) is float
    level: list[Any] = [value]
    keys, strings, depth, floats = 0, 0, 0, False
    while level:
        depth += 1
        below: list[Any] = []
        for container in level:
            if type(container) is dict:
                keys += len(container)
                container = container.values()
            kinds = list(map(type, container))
            strings += kinds.count(str)
            floats = floats or float in kinds
            if dict in kinds or list in kinds:
                below += [item for item in container if type(item) is dict or type(item) is list]
        level = below
    return keys, strings, depth, floats
