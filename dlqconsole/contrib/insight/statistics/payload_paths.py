"""The places in a payload: paths, as tuples of names; ``[]`` stands for every element of a list.

``{"items": [{"sku": "A"}, {"sku": "B"}]}`` has the paths ``items``, ``items[]``, and ``items[].sku`` with two
values. What is deep or wide beyond all sense is left out: a payload tells no more than ``MOST_PLACES``.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

type Path = tuple[str, ...]

ELEMENT = "[]"
MOST_PLACES = 400
DEEPEST = 10
# a longer name is no field but a value that was made one
LONGEST_NAME = 80
# the type of a masked value
HIDDEN = "hidden"


def places(payload: Any) -> Iterator[tuple[Path, Any]]:
    """Each place below the whole payload with what stands there, breadth first."""
    level: list[tuple[Path, Any]] = [((), payload)]
    room = MOST_PLACES
    for _depth in range(DEEPEST):
        below: list[tuple[Path, Any]] = []
        for path, value in level:
            if isinstance(value, dict | list):
                below += _members(path, value, room - len(below))
        yield from below
        room -= len(below)
        level = below
        if not level or room <= 0:
            return


def _members(path: Path, value: dict[str, Any] | list[Any], most: int) -> list[tuple[Path, Any]]:
    if isinstance(value, list):
        return [((*path, ELEMENT), member) for member in value[:most]]
    members = value.items() if len(value) <= most else islice(value.items(), most)
    return [((*path, name), member) for name, member in members if 0 < len(name) <= LONGEST_NAME]


_WORDS = {bool: "boolean", int: "number", float: "number", type(None): "null", list: "list", dict: "object"}


def type_of(value: Any) -> str:
    """Return JSON's name of its type, in a word for people."""
    if isinstance(value, str):
        return HIDDEN if value[:1] == "‹" and value[-1:] == "›" else "text"
    return _WORDS[type(value)]


def words(path: Path) -> str:
    """The path as it is written: ``items[].sku``."""
    text = ""
    for name in path:
        text += name if name == ELEMENT or not text else f".{name}"
    return text or "the whole payload"
