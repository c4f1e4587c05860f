"""Write a handler's record as JSON that a jsonb column holds, or say why it cannot be."""

import math
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import orjson

from .errors import RecordTooLarge, UnusableRecord
from .limits import DEFAULT_LIMITS, MEBIBYTE

# A record that is longer by less is written, to say how long it is.
_SPARE = MEBIBYTE
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1

_PLAIN = frozenset({int, float, bool, type(None), Decimal, datetime, date, UUID})
# The writer goes no deeper.
_DEEPEST = 255


def record_json(record: Any, longest: int = DEFAULT_LIMITS.record_bytes) -> str:
    """Return the record as JSON text, numbers exact.

    A record is a dict with text keys, or None. Beside plain JSON values it may hold datetimes,
    dates, UUIDs and Decimals. Raises UnusableRecord for anything else: another top-level type, NaN
    and Infinity, NUL characters, unpaired surrogates, objects JSON has no word for; RecordTooLarge above
    `longest` bytes.
    """
    if record is not None and not isinstance(record, dict):
        raise UnusableRecord(f"the handler returned {type(record).__name__}, not a dict")
    if is_longer_than(record, longest + _SPARE):
        raise RecordTooLarge(f"the handler's record is far more than {longest:,} bytes long")
    try:
        content = orjson.dumps(record)
    except TypeError as error:
        content = _dumped_with_care(record, error)
    if b"null" in content or b"\\u0000" in content:
        _refuse_hidden(record, "record")
    if len(content) > longest:
        raise RecordTooLarge(f"the handler's record is {len(content):,} bytes long, more than {longest:,}")
    return content.decode()


def _dumped_with_care(record: Any, first: TypeError) -> bytes:
    try:
        return orjson.dumps(_with_fragments(record))
    except (TypeError, RecursionError):
        raise UnusableRecord(f"the handler's record is not JSON: {first}") from None


def _with_fragments(value: Any) -> Any:
    """Hand orjson the numbers it cannot write as ready text; floats would lose their digits."""
    if isinstance(value, dict):
        return {key: _with_fragments(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_fragments(item) for item in value]
    if type(value) is int and not _SMALLEST <= value <= _LARGEST:
        return orjson.Fragment(_digits(value))
    if isinstance(value, Decimal) and value.is_finite():
        return orjson.Fragment(str(value))
    return value


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError as error:  # Python's own limit, 4,300 digits
        raise TypeError(str(error)) from None


def _refuse_hidden(value: Any, path: str) -> None:
    """Refuse what orjson writes without a word and we must not store: NaN becomes null, NUL an escape."""
    if isinstance(value, float) and not math.isfinite(value):
        raise UnusableRecord(f"{path} is {value}, which JSON cannot hold")
    if isinstance(value, str) and "\x00" in value:
        raise UnusableRecord(f"{path} holds a NUL character, which PostgreSQL cannot store")
    if isinstance(value, dict):
        for key, item in value.items():
            if "\x00" in key:
                raise UnusableRecord(f"a key of {path} holds a NUL character")
            _refuse_hidden(item, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _refuse_hidden(item, f"{path}.{index}")


def is_longer_than(record: Any, most: int) -> bool:
    """Tell, without writing it, whether it takes more than ``most`` bytes for certain; looks no further then.

    The writer ends its process where it finds no memory, and asks for eight times a text's length: what is
    far too long must not come to it.
    """
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
