"""The slow, exact reader: standard JSON only, and each refusal says where.

The grammar is the standard library's. What that lets through and PostgreSQL or a later reader
would choke on is found by `json_hazards`, which looks at the text token by token.
"""

import json
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Any

from .errors import MalformedEvent, PayloadTooLarge
from .inputs.sentences import stored
from .json_hazards import (
    ESCAPED_REPLACEMENT,
    MAX_DEPTH,
    SURROGATE,
    UNPAIRED,
    Hazards,
    find_constant,
    find_hazards,
    number_problem,
    too_deep_at,
)
from .limits import DEFAULT_LIMITS

PLACE = stored("{problem_sentence} at line {line:d}, column {column:d} (byte {byte:d})")
TOO_DEEP = stored("more than {most:d} levels of nesting")
NOT_STANDARD, NOT_JSON = stored("{word:s} is not JSON"), stored("not JSON, {cause}")
NOT_UTF8 = stored("not UTF-8 at line {line:d}, byte {column:d} of it (byte {byte:d}, {code})")
NOT_UTF8_BUT = stored(
    "not UTF-8 at line {line:d}, byte {column:d} of it (byte {byte:d}, {code}): it looks like {format}"
)

_BOM = "\ufeff"
_NOT_UTF8 = (
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "a zip file"),
)

OK = "ok"
SANITISED = "sanitised"
UNPARSABLE = "unparsable"
TOO_LARGE = "too_large"


@dataclass(frozen=True, slots=True)
class Decoded:
    """One payload, read strictly.

    `state`: `ok` (the value is what was sent), `sanitised` (`json_text` is a searchable copy that
    differs from what was sent: a NUL, an unpaired surrogate, a key written twice), `unparsable`, or
    `too_large` (bytes, depth or keys). Only an `ok` payload should reach a handler: see `require`.
    `json_text`: safe for a jsonb column; None when jsonb must not hold this payload.
    `value`: parsed. Numbers that a float cannot hold exactly are Decimal.
    `raw`: the bytes as they came, whenever jsonb cannot give back the same values.
    `problem`: one sentence with line, column and byte. An `ok` payload has one only for a byte
    order mark that was removed.
    """

    state: str
    value: Any = None
    json_text: str | None = None
    raw: bytes | None = None
    problem: str | None = None

    def require(self) -> Any:
        """Return the value of an `ok` payload; raise MalformedEvent or PayloadTooLarge otherwise."""
        if self.state == OK:
            return self.value
        raise (PayloadTooLarge if self.state == TOO_LARGE else MalformedEvent)(self.problem)


class _NotStandardError(Exception):
    """NaN or Infinity: Python reads them, JSON has no such thing."""


def read_strictly(raw: bytes, most_keys: int = DEFAULT_LIMITS.payload_keys) -> Decoded:
    """Read one JSON document with every check. Never raises for bad input."""
    try:
        text = raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        return _unparsable(raw, _not_utf8(raw, error))
    notes = []
    if text.startswith(_BOM):
        text = text[1:]
        notes.append(stored("a byte order mark was removed from the start"))
    place = _Places(text, raw)
    if deep := too_deep_at(text):
        return Decoded(TOO_LARGE, raw=raw, problem=place(TOO_DEEP.format(most=MAX_DEPTH), deep))
    clean = SURROGATE.sub("\ufffd", text)
    try:
        value = _parse(clean)
    except json.JSONDecodeError as error:
        return _unparsable(raw, place(_grammar(error), error.pos))
    except _NotStandardError:
        word, position = find_constant(clean)
        return _unparsable(raw, place(NOT_STANDARD.format(word=word), position))
    hazards = find_hazards(clean, most_keys)
    return _judge(raw, text, clean, value, hazards, notes, place)


def _judge(
    raw: bytes, text: str, clean: str, value: Any, hazards: Hazards, notes: list[str], place: "_Places"
) -> Decoded:
    if hazards.refusal:
        state = TOO_LARGE if hazards.too_large else UNPARSABLE
        return Decoded(state, raw=raw, problem=place(hazards.refusal[1], hazards.refusal[0]))
    for match in SURROGATE.finditer(text):
        hazards.doubt(match.start(), UNPAIRED.format(code=f"U+{ord(match[0]):04X}"))
    if hazards.doubts:
        position, sentence = min(hazards.doubts)
        safe = _replace(clean, hazards)
        return Decoded(SANITISED, _parse(safe), safe, raw, place(sentence, position))
    keep_raw = bool(notes) or hazards.is_reworded
    return Decoded(OK, value, clean, raw if keep_raw else None, "; ".join(notes) or None)


class _Places:
    """A problem with its position in the text: people look for lines, programs for bytes."""

    def __init__(self, text: str, raw: bytes) -> None:
        self._text = text
        self._extra_bytes = len(raw) - len(text.encode("utf-8", "surrogatepass"))

    def __call__(self, problem: str, position: int) -> str:
        before = self._text[:position]
        line = before.count("\n") + 1
        column = position - (before.rfind("\n") + 1) + 1
        offset = len(before.encode("utf-8", "surrogatepass")) + self._extra_bytes
        return PLACE.format(problem_sentence=problem, line=line, column=column, byte=offset)


def _unparsable(raw: bytes, problem: str) -> Decoded:
    return Decoded(UNPARSABLE, raw=raw, problem=problem)


def _not_utf8(raw: bytes, error: UnicodeDecodeError) -> str:
    format = next((name for start, name in _NOT_UTF8 if raw.startswith(start)), "")
    before = raw[: error.start]
    line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
    words, code = NOT_UTF8_BUT if format else NOT_UTF8, f"0x{raw[error.start]:02x}"
    return words.format(line=line, column=column, byte=error.start, code=code, format=format)


def _grammar(error: json.JSONDecodeError) -> str:
    if not error.doc.strip():
        return stored("the payload is empty")
    if error.msg == "Extra data":
        return stored("something follows the end of the document")
    if error.pos < len(error.doc) and error.doc[error.pos] == "\x00":
        return stored("a raw NUL byte")
    return NOT_JSON.format(cause=f"{error.msg[0].lower()}{error.msg[1:].removesuffix(' at')}")


def _replace(text: str, hazards: Hazards) -> str:
    pieces, position = [], 0
    for start, end in sorted(hazards.replacements):
        pieces += [text[position:start], ESCAPED_REPLACEMENT]
        position = end
    return "".join([*pieces, text[position:]])


def _refuse_constant(word: str) -> Any:
    raise _NotStandardError(word)


def _exact_float(token: str) -> float | Decimal:
    if number_problem(token):
        return 0.0  # the whole document will be refused for it
    number = float(token)
    exact = Decimal(token)
    return number if isfinite(number) and Decimal(repr(number)) == exact else exact


def _exact_int(token: str) -> int:
    return 0 if number_problem(token) else int(token)


_parse = json.JSONDecoder(
    parse_float=_exact_float, parse_int=_exact_int, parse_constant=_refuse_constant
).decode
