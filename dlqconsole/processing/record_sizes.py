"""The least length of a record when it is written, computed without writing it.

The writer ends its process where it finds no memory, and asks for eight times a text's length: what is far
too long must not come to it.
"""

from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

_PLAIN = frozenset({int, float, bool, type(None), Decimal, datetime, date, UUID})
# The writer goes no deeper.
_DEEPEST = 255


def is_longer_than(record: Any, most: int) -> bool:
    """Tell whether it takes more than ``most`` bytes for certain; looks no further then."""
    size, level = 0, [record]
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for value in level:
            is_plain = type(value) is dict
            parts = value.values() if is_plain else _parts(value)
            size += len(parts) + (_length_of_keys(value) if is_plain else 0)
            for part in parts:  # each event's record comes by here: no call for a part
                kind = type(part)
                if kind is str:
                    size += len(part)
                elif kind not in _PLAIN:
                    inner.append(part)
            if size > most:
                return True
        if not inner:
            return False
        level = inner
    return False


def _length_of_keys(value: dict[Any, Any]) -> int:
    try:
        return len("".join(value))
    except TypeError:  # a key that is no text: the writer says so
        return 0


def _parts(value: Any) -> Any:
    """Return the parts of a value that is no plain dictionary."""
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, Enum):
        return [value.value]
    if isinstance(value, str):  # a class of its own
        return [str.__str__(value)]
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name, None) for field in fields(value) if field.name[0] != "_"]
    return ()
