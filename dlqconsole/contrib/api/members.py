"""The members of JSON objects as they stand in the text: no value is read, so every digit of it stays."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dlqconsole.contrib.api.problems import Problem

_SPACE = re.compile(r"[ \t\n\r]*")


def _nothing(_value: Any) -> None:
    """Build nothing: a number might have a million digits."""


_value = json.JSONDecoder(
    strict=False,
    parse_int=_nothing,
    parse_float=_nothing,
    parse_constant=_nothing,
    object_pairs_hook=_nothing,
).raw_decode


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object: its name, its text with the name, and the text of its value."""

    name: str
    text: str
    value: str


def read_text(body: bytes) -> str:
    """Return the text of a body. Halves of characters pass: who reads a value strictly says what they are."""
    try:
        return body.decode("utf-8", "surrogatepass").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Problem(422, f"The body is not UTF-8 (byte {error.start:,}). Send JSON in UTF-8.") from None


def elements(text: str) -> list[str]:
    """Return the texts of an array's elements. Raises Problem."""
    return [text[begin:end] for begin, end in _parts(text, "[", "]", lambda at: (at, _value(text, at)[1]))]


def members(text: str) -> list[Member]:
    """Return the members of an object; of a name that is written twice, both. Raises Problem."""
    found: list[Member] = []

    def one(begin: int) -> tuple[int, int]:
        name, at = _value(text, begin)
        if not isinstance(name, str):
            raise json.JSONDecodeError("a name", text, begin)
        at = _after(text, _skip(text, at), ":")
        end = _value(text, at)[1]
        found.append(Member(name, text[begin:end], text[at:end]))
        return begin, end

    for _part in _parts(text, "{", "}", one):
        pass
    return found


def _parts(text: str, opens: str, closes: str, part: Any) -> Iterator[tuple[int, int]]:
    kind = "an object" if opens == "{" else "an array"
    at = _skip(text, 0)
    if text[at : at + 1] != opens:
        raise Problem(422, f"The body must be {kind} of JSON here; see /api/v1/openapi.json.")
    try:
        at = _skip(text, at + 1)
        while text[at : at + 1] != closes:
            begin, end = part(at)
            yield begin, end
            at = _skip(text, end)
            if text[at : at + 1] != closes:
                at = _after(text, at, ",")
        if _skip(text, at + 1) != len(text):
            raise json.JSONDecodeError("the end", text, at + 1)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno:,}, column {error.colno:,}"
        raise Problem(422, f"The body is not JSON ({where}). Send one JSON document.") from None
    except IndexError:
        raise Problem(422, "The body is not JSON: it ends too early.") from None
    except RecursionError:
        raise Problem(413, "The body is nested too deep.") from None


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _after(text: str, at: int, sign: str) -> int:
    if text[at : at + 1] != sign:
        raise json.JSONDecodeError(sign, text, at)
    return _skip(text, at + 1)
