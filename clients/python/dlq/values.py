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

import enum
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from json.encoder import encode_basestring
from typing import Any

from .scalars import ENCODERS, INT64, SCALAR_DECODERS, TYPE, UNSAFE, VALUE, Unkept

__all__ = ["BUDGET", "MAX_DEPTH", "CannotDecode", "Problem", "decode", "encode"]

_TEXTS: dict[type, str] = {str: "characters", bytes: "bytes", bytearray: "bytes"}
TOO_LARGE = "the event is too large, and ends here"
# in bytes, and in levels: the console keeps no more than a mebibyte, and unfolds no deeper than 64
BUDGET, MAX_DEPTH, MOST_LOST_PARTS = 1_000_000, 60, 100
# what each value takes of the budget beside its text, so that the largest event takes a processor about 20 ms
_EACH, _EACH_PLAIN = 128, 24

# {"path": a JSON pointer into the value that was encoded, "reason": a sentence}
Problem = dict[str, str]


class CannotDecode(ValueError):
    """A value cannot be made of this JSON here; says why."""


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
        raise CannotDecode(f"no {name} can be made of this JSON here ({type(error).__name__})") from error


class _Encoder:
    def __init__(self, budget: int) -> None:
        self.left = budget
        self.problems: list[Problem] = []
        self.path: list[object] = []
        self.around: set[int] = set()

    def encode(self, value: Any) -> Any:
        kind = type(value)
        self.left -= _EACH
        try:
            if kind in _TEXTS and len(value) > self.left:
                # it is not looked at, so what follows may fit
                raise Unkept(f"it is too large: {len(value):,} {_TEXTS[kind]}")
            if kind in ENCODERS:
                encoded = ENCODERS[kind](value)
                self.left -= _size(encoded)
            elif kind in _CONTAINERS:
                encoded = self._nested(value, _CONTAINERS[kind])
            else:
                encoded = self._other(value)
            if self.left >= 0:
                return encoded
            if not any(problem["reason"] == TOO_LARGE for problem in self.problems):
                raise Unkept(TOO_LARGE)
            # the part of a container that fitted
            return encoded if kind in _CONTAINERS else {TYPE: "unknown", "class": name_of(kind)}
        except Unkept as reason:
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
        raise Unkept(f"a {name_of(kind)} cannot be kept: pass its key, or a dict")

    def _enum(self, value: enum.Enum) -> Any:
        name = name_of(type(value))
        if named(name) is not type(value):
            raise Unkept(f"the enum {name} cannot be found by its name")
        self.left -= len(name)
        return {TYPE: "enum", "class": name, VALUE: self.encode(value._value_)}

    def _nested(self, value: Any, encoder: Callable[[_Encoder, Any], Any]) -> Any:
        if id(value) in self.around:
            raise Unkept("it contains itself")
        if len(self.around) >= MAX_DEPTH:
            raise Unkept(f"it is nested deeper than {MAX_DEPTH} levels")
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
        if isinstance(value, (list, tuple)) and _are_plain(value):
            # thousands of ids, at once
            cost = _EACH_PLAIN * len(value) + sum(map(_size, value))
            if cost <= self.left:
                self.left -= cost
                return list(value)
        return [item for _, item in self._items(enumerate(value))]

    def of_tuple(self, value: tuple[Any, ...]) -> Any:
        return {TYPE: "tuple", VALUE: self.of_list(value)}

    def of_set(self, value: set[Any] | frozenset[Any]) -> Any:
        return {TYPE: type(value).__name__, VALUE: sorted(self.of_list(value), key=json.dumps)}

    def of_dict(self, value: dict[Any, Any]) -> Any:
        if all(type(key) is str and key != TYPE and not UNSAFE.search(key) for key in dict.keys(value)):
            self.left -= sum(map(_size, dict.keys(value)))
            return self._with_lost_parts(value, dict(self._items(dict.items(value))))
        pairs = self._items((key, (key, item)) for key, item in dict.items(value))
        return {TYPE: "dict", VALUE: [pair[VALUE] for _, pair in pairs]}

    def _with_lost_parts(self, value: dict[Any, Any], encoded: dict[str, Any]) -> dict[str, Any]:
        """Name the parts of the event itself that were not come to: a task has args and kwargs."""
        if len(self.around) == 1:
            for key in itertools.islice(dict.keys(value), len(encoded), MOST_LOST_PARTS):
                self.problems.append({"path": _pointer([key]), "reason": TOO_LARGE})
                encoded[key] = {TYPE: "unknown", "class": name_of(type(dict.get(value, key)))}
        return encoded


def _size(encoded: Any) -> int:
    """Return the bytes of the texts in it."""
    if isinstance(encoded, str):
        return len(encode_basestring(encoded).encode())
    return sum(map(_size, encoded.values())) if isinstance(encoded, dict) else 0


def _are_plain(values: Sequence[Any]) -> bool:
    """Tell whether JSON has these as they are: texts, or numbers of 64 bits."""
    kinds = set(map(type, values))
    if kinds == {int}:
        return min(values) in INT64 and max(values) in INT64
    return kinds == {str} and not UNSAFE.search("".join(values))


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
    return UNSAFE.sub("\ufffd", text)[:1000]


def _decode_enum(encoded: dict[str, Any]) -> enum.Enum:
    kind = named(encoded["class"])
    if not (isinstance(kind, type) and issubclass(kind, enum.Enum)):
        raise CannotDecode(f"the enum {encoded['class']} is not imported here")
    return kind(decode(encoded[VALUE]))


def _decode_unknown(encoded: dict[str, Any]) -> Any:
    raise CannotDecode(f"a {encoded.get('class')} could not be kept when it was reported")


def _items(encoded: dict[str, Any]) -> list[Any]:
    return [decode(item) for item in encoded[VALUE]]


_CONTAINERS: dict[type, Callable[[_Encoder, Any], Any]] = {
    dict: _Encoder.of_dict,
    list: _Encoder.of_list,
    tuple: _Encoder.of_tuple,
    set: _Encoder.of_set,
    frozenset: _Encoder.of_set,
}

_DECODERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    **SCALAR_DECODERS,
    "enum": _decode_enum,
    "tuple": lambda encoded: tuple(_items(encoded)),
    "set": lambda encoded: set(_items(encoded)),
    "frozenset": lambda encoded: frozenset(_items(encoded)),
    "dict": lambda encoded: {decode(key): decode(item) for key, item in encoded[VALUE]},
    "unknown": _decode_unknown,
}
