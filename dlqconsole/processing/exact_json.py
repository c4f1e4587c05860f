"""JSON as values that can be changed and written again without touching what was not changed.

A float would make 1.10 to 1.1 and lose digits of a long number: here such numbers are Decimal, which
keeps every digit. Only for texts that `payloads.decode` has accepted.
"""

import json
import re
from decimal import Decimal
from typing import Any

import orjson

_SMALL = 18  # digits that the writer's 64 bits hold for certain

INDENT = "  "
DEEPEST = 40  # levels that are indented further
_PART = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL)


def loads(text: str) -> Any:
    """The document as dict, list, str, int, Decimal, bool and None."""
    return _read(text)


def dumps(value: Any) -> str:
    """The document as compact JSON text; no number gets an exponent."""
    return orjson.dumps(value, default=_number).decode()


def canonical(text: str) -> bytes:
    """The same for texts that say the same: neither spaces nor the order of keys count, digits do."""
    return orjson.dumps(_read(text), default=_number, option=orjson.OPT_SORT_KEYS)


def _integer(token: str) -> int | Decimal:
    return int(token) if len(token) <= _SMALL else Decimal(token)


def _number(value: Any) -> Any:
    if isinstance(value, Decimal):
        return orjson.Fragment(format(value, "f"))
    raise TypeError(type(value).__name__)


_read = json.JSONDecoder(parse_float=Decimal, parse_int=_integer).decode


def pretty(text: str) -> str:
    """Set a text out for reading: one member or element a line; empty objects and arrays stay on theirs.

    Nothing is parsed, so nothing is too deep; only the spaces between parts change. The beginning of a text
    will do.
    """
    out: list[str] = []
    depth, opens = 0, False
    for match in _PART.finditer(text):
        part = match[0]
        closes = part in "}]"
        depth -= closes
        if opens != closes and (opens or closes):
            out.append(_line(depth))
        opens = part in "{["
        depth += opens
        out.append(_with_space(part, depth))
    return "".join(out)


def _with_space(part: str, depth: int) -> str:
    if part == ":":
        return ": "
    return "," + _line(depth) if part == "," else part


def _line(depth: int) -> str:
    return "\n" + INDENT * max(0, min(depth, DEEPEST))
