"""Values of Python as JSON, and back.

JSON holds None, booleans, text, numbers, lists, and dicts whose keys are text. Any other value becomes an
object that names its type: `{"$type": "decimal", "value": "1.10"}`. So does a dict that has other keys, or a
key "$type" of its own: `{"$type": "dict", "value": [[key, value], …]}`. PostgreSQL's jsonb can keep the
result: it holds no NUL, no half of a surrogate pair, and no number that jsonb would give back as another one.
A subclass of text, number, list or dict comes back as that, as from JSON itself.

A value that cannot come back is replaced by `{"$type": "unknown", "class": "shop.models:Order"}` and listed:

    value, problems = encode({"order": order, "price": Decimal("1.10")})
    problems == [{"path": "/order", "reason": "a shop.models:Order cannot be kept: pass its key, or a dict"}]
"""

from __future__ import annotations

import base64
import datetime
import decimal
import enum
import json
import math
import re
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["BUDGET", "MAX_DEPTH", "CannotDecode", "Problem", "decode", "encode"]

TYPE, VALUE = "$type", "value"
TOO_LARGE = "the event is too large, and ends here"
# the console keeps no more, and unfolds no deeper
BUDGET, MAX_DEPTH = 1024 * 1024, 60
# what each value takes of the budget, so that the largest event takes a processor about 20 ms
_EACH = 64
_INT64 = range(-(2**63), 2**63)
_UNSAFE = re.compile("[\0\ud800-\udfff]")
_ESCAPED = re.compile("[\\\\\0\ud800-\udfff]")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")

# {"path": a JSON pointer into the value that was encoded, "reason": a sentence}
Problem = dict[str, str]


class CannotDecode(ValueError):
    """A value cannot be made of this JSON here; says where and why."""


def encode(value: object, *, budget: int = BUDGET) -> tuple[Any, list[Problem]]:
    """Return the value as JSON can hold it, and what of it cannot come back.

    Calls nothing of your own classes: to ask a lazy value would make it work.
    """
    encoder = _Encoder(budget)
    return encoder.encode(value), encoder.problems


def decode(value: Any) -> Any:
    """Return the value that was encoded, or raise CannotDecode. An enum must be imported already."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if TYPE not in value:
        return {key: decode(item) for key, item in dict.items(value)}
    try:
        return _DECODERS[value[TYPE]](value)
    except CannotDecode:
        raise
    except Exception as error:
        name = value.get("class") or value[TYPE]
        raise CannotDecode(
            f"no {name} can be made of this JSON here ({type(error).__name__}: {error})"
        ) from error


class _Unkept(Exception):
    """Why a value cannot be kept."""


class _Encoder:
    def __init__(self, budget: int) -> None:
        self.left = budget
        self.problems: list[Problem] = []
        self.path: list[object] = []
        self.around: set[int] = set()

    def encode(self, value: object) -> Any:
        kind = type(value)
        self.left -= _EACH
        try:
            if kind in _ENCODERS:
                encoded = _ENCODERS[kind](value)
                if kind in _LONG:
                    self.left -= len(encoded[VALUE] if isinstance(encoded, dict) else encoded)
            elif kind in _CONTAINERS:
                encoded = self._nested(value, _CONTAINERS[kind])
            else:
                encoded = self._other(value)
            if self.left >= 0:
                return encoded
            if not any(problem["reason"] == TOO_LARGE for problem in self.problems):
                raise _Unkept(TOO_LARGE)
            # the part of a container that fitted
            return encoded if kind in _CONTAINERS else {TYPE: "unknown", "class": name_of(kind)}
        except _Unkept as reason:
            self.problems.append({"path": _pointer(self.path), "reason": str(reason)})
            return {TYPE: "unknown", "class": name_of(kind)}

    def _other(self, value: Any) -> Any:
        # of the type: isinstance would ask the value, and a lazy one would begin to work
        kind = type(value)
        if issubclass(kind, enum.Enum):
            return self._enum(value)
        # what JSON itself makes of a subclass
        for base, plain in ((str, str.__str__), (int, int.__int__), (float, float.__float__)):
            if issubclass(kind, base):
                return self.encode(plain(value))
        for container in (dict, list):
            if issubclass(kind, container):
                return self._nested(value, _CONTAINERS[container])
        raise _Unkept(f"a {name_of(kind)} cannot be kept: pass its key, or a dict")

    def _enum(self, value: enum.Enum) -> Any:
        name = name_of(type(value))
        if named(name) is not type(value):
            raise _Unkept(f"the enum {name} cannot be found by its name")
        return {TYPE: "enum", "class": name, VALUE: self.encode(value._value_)}

    def _nested(self, value: Any, encoder: Callable[[_Encoder, Any], Any]) -> Any:
        if id(value) in self.around:
            raise _Unkept("it contains itself")
        if len(self.around) >= MAX_DEPTH:
            raise _Unkept(f"it is nested deeper than {MAX_DEPTH} levels")
        self.around.add(id(value))
        try:
            return encoder(self, value)
        finally:
            self.around.discard(id(value))

    def _items(self, items: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """Encode the values of these pairs, until the budget is spent."""
        for place, item in items:
            if self.left < 0:
                return
            self.path.append(place)
            yield place, self.encode(item)
            self.path.pop()

    def of_list(self, value: Iterable[Any]) -> list[Any]:
        return [item for _, item in self._items(enumerate(value))]

    def of_tuple(self, value: tuple[Any, ...]) -> Any:
        return {TYPE: "tuple", VALUE: self.of_list(value)}

    def of_set(self, value: set[Any] | frozenset[Any]) -> Any:
        return {TYPE: type(value).__name__, VALUE: sorted(self.of_list(value), key=json.dumps)}

    def of_dict(self, value: dict[Any, Any]) -> Any:
        if all(type(key) is str and key != TYPE and not _UNSAFE.search(key) for key in dict.keys(value)):
            self.left -= sum(map(len, dict.keys(value)))
            return dict(self._items(dict.items(value)))
        pairs = self._items((key, (key, item)) for key, item in dict.items(value))
        return {TYPE: "dict", VALUE: [pair[VALUE] for _, pair in pairs]}


def name_of(kind: type) -> str:
    """Return what a class is found by: "shop.models:Order"."""
    return f"{kind.__module__}:{kind.__qualname__}"


def named(name: str) -> object:
    """Find a class in the modules that are imported. Imports none: the name came with the data."""
    module, _, path = name.partition(":")
    found: object = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _pointer(path: list[object]) -> str:
    parts = (part if type(part) in (str, int) else type(part).__name__ for part in path)
    text = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
    return _UNSAFE.sub("\ufffd", text)[:1000]


def _str(value: str) -> Any:
    if not _UNSAFE.search(value):
        return value
    return {TYPE: "str", VALUE: _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", value)}


def _int(value: int) -> Any:
    if value in _INT64:
        return value
    return {TYPE: "int", VALUE: str(value) if value.bit_length() < 1024 else hex(value)}


def _float(value: float) -> Any:
    text = repr(value)
    # jsonb writes 1e+16 as an integer, and knows no -0.0
    if math.isfinite(value) and "e" not in text and text != "-0.0":
        return value
    return {TYPE: "float", VALUE: text}


def _datetime(value: datetime.datetime) -> Any:
    encoded: dict[str, Any] = {TYPE: "datetime", VALUE: value.isoformat()}
    if value.fold:
        encoded["fold"] = 1
    if zone := getattr(value.tzinfo, "key", None):
        encoded["zone"] = zone
    return encoded


def _decode_datetime(encoded: dict[str, Any]) -> datetime.datetime:
    moment = datetime.datetime.fromisoformat(encoded[VALUE]).replace(fold=encoded.get("fold", 0))
    if "zone" not in encoded:
        return moment
    from zoneinfo import ZoneInfo

    return moment.replace(tzinfo=ZoneInfo(encoded["zone"]))


def _time(value: datetime.time) -> Any:
    if value.tzinfo and not isinstance(value.tzinfo, datetime.timezone):
        raise _Unkept("a time of day in a zone cannot be kept: pass a datetime")
    return {TYPE: "time", VALUE: value.isoformat(), **({"fold": 1} if value.fold else {})}


def _decode_time(encoded: dict[str, Any]) -> datetime.time:
    return datetime.time.fromisoformat(encoded[VALUE]).replace(fold=encoded.get("fold", 0))


def _timedelta(value: datetime.timedelta) -> Any:
    microseconds = value // datetime.timedelta(microseconds=1)
    return {TYPE: "timedelta", VALUE: str(decimal.Decimal(microseconds).scaleb(-6, _EXACT))}


def _decode_timedelta(encoded: dict[str, Any]) -> datetime.timedelta:
    microseconds = decimal.Decimal(encoded[VALUE]).scaleb(6, _EXACT)
    return datetime.timedelta(microseconds=int(microseconds))


def _decode_enum(encoded: dict[str, Any]) -> enum.Enum:
    kind = named(encoded["class"])
    if not (isinstance(kind, type) and issubclass(kind, enum.Enum)):
        raise CannotDecode(f"the enum {encoded['class']} is not imported here")
    return kind(decode(encoded[VALUE]))


def _decode_unknown(encoded: dict[str, Any]) -> Any:
    raise CannotDecode(f"a {encoded.get('class')} could not be kept when it was reported")


def _items(encoded: dict[str, Any]) -> list[Any]:
    return [decode(item) for item in encoded[VALUE]]


_EXACT = decimal.Context(prec=60)

_CONTAINERS: dict[type, Callable[[_Encoder, Any], Any]] = {
    dict: _Encoder.of_dict,
    list: _Encoder.of_list,
    tuple: _Encoder.of_tuple,
    set: _Encoder.of_set,
    frozenset: _Encoder.of_set,
}

# those whose size is not known before
_LONG = (str, bytes, decimal.Decimal)
_ENCODERS: dict[type, Callable[[Any], Any]] = {
    type(None): lambda value: value,
    bool: lambda value: value,
    str: _str,
    int: _int,
    float: _float,
    bytes: lambda value: {TYPE: "bytes", VALUE: base64.b64encode(value).decode()},
    decimal.Decimal: lambda value: {TYPE: "decimal", VALUE: str(value)},
    uuid.UUID: lambda value: {TYPE: "uuid", VALUE: str(value)},
    datetime.datetime: _datetime,
    datetime.date: lambda value: {TYPE: "date", VALUE: value.isoformat()},
    datetime.time: _time,
    datetime.timedelta: _timedelta,
}

_DECODERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "str": lambda encoded: _ESCAPE.sub(lambda found: chr(int(found[1], 16)), encoded[VALUE]),
    "int": lambda encoded: int(encoded[VALUE], 0),
    "float": lambda encoded: float(encoded[VALUE]),
    "bytes": lambda encoded: base64.b64decode(encoded[VALUE], validate=True),
    "decimal": lambda encoded: decimal.Decimal(encoded[VALUE]),
    "uuid": lambda encoded: uuid.UUID(encoded[VALUE]),
    "datetime": _decode_datetime,
    "date": lambda encoded: datetime.date.fromisoformat(encoded[VALUE]),
    "time": _decode_time,
    "timedelta": _decode_timedelta,
    "enum": _decode_enum,
    "tuple": lambda encoded: tuple(_items(encoded)),
    "set": lambda encoded: set(_items(encoded)),
    "frozenset": lambda encoded: frozenset(_items(encoded)),
    "dict": lambda encoded: {decode(key): decode(item) for key, item in encoded[VALUE]},
    "unknown": _decode_unknown,
}
