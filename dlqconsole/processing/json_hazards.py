"""Legal JSON that is still dangerous: found token by token, with its position.

PostgreSQL refuses NUL and unpaired surrogates, expands 1e131071 into 131 KB of digits, keeps only
the last of two equal keys, and re-words `-0` and `1E5`; deep nesting breaks readers further on.
"""

import json
import re
from dataclasses import dataclass, field

from .inputs.sentences import stored

MAX_DEPTH = 64
MAX_DIGITS = 400
MAX_EXPONENT = 308
MANY_KEYS = stored("more than {most:,} keys")
MANY_DIGITS = stored("number of {digits:,} digits, more than {most:d}")
OUT_OF_RANGE = stored("number out of range: its exponent is beyond ±{most:d}")
TWICE, UNPAIRED = stored("key {key} appears twice"), stored("unpaired surrogate {code}")
NUL = stored("\\u0000 cannot be stored")

ESCAPED_REPLACEMENT = "\\ufffd"
SURROGATE = re.compile("[\ud800-\udfff]")

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|-?Infinity|NaN|-?[0-9][0-9.eE+-]*+|[{}\[\]:]', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_CONSTANTS = ("NaN", "Infinity", "-Infinity")


@dataclass(slots=True)
class Hazards:
    """`refusal`: (position, sentence) when jsonb must not hold it; `doubts`: when only a copy fits."""

    refusal: tuple[int, str] | None = None
    too_large: bool = False
    doubts: list[tuple[int, str]] = field(default_factory=list)
    replacements: list[tuple[int, int]] = field(default_factory=list)
    is_reworded: bool = False

    def refuse(self, position: int, sentence: str, too_large: bool = False) -> None:
        if self.refusal is None:
            self.refusal, self.too_large = (position, sentence), too_large

    def doubt(self, position: int, sentence: str) -> None:
        self.doubts.append((position, sentence))


def too_deep_at(text: str) -> int | None:
    """Return where nesting first goes below MAX_DEPTH. Asked before parsing: parsers recurse."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return None
    depth = 0
    for match in _TOKEN.finditer(text):
        if match[0] in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return match.start()
        elif match[0] in "}]":
            depth -= 1
    return None


def find_constant(text: str) -> tuple[str, int]:
    """Return the first NaN, Infinity or -Infinity outside strings, and where it stands."""
    return next((m[0], m.start()) for m in _TOKEN.finditer(text) if m[0] in _CONSTANTS)


def find_hazards(text: str, most_keys: int) -> Hazards:
    """Look at every token of a text that the JSON grammar has accepted."""
    hazards = Hazards()
    open_objects: list[set[str]] = []
    keys, last_string = 0, (0, "")
    for match in _TOKEN.finditer(text):
        position, word = match.start(), match[0]
        if word[0] == '"':
            last_string = (position, word)
            if "\\u" in word:
                _inspect_escapes(position, word, hazards)
        elif word == ":":
            keys += 1
            if keys == most_keys + 1:
                hazards.refuse(position, MANY_KEYS.format(most=most_keys), too_large=True)
            _inspect_key(*last_string, open_objects[-1], hazards)
        elif word in "{[":
            open_objects.append(set())
        elif word in "}]":
            open_objects.pop()
        else:
            _inspect_number(position, word, hazards)
    return hazards


def number_problem(token: str) -> str | None:
    """Say why no ordinary reader should be given this number, or None."""
    mantissa, _, exponent = token.lower().partition("e")
    digits = sum(map(str.isdigit, mantissa))
    if digits > MAX_DIGITS:
        return MANY_DIGITS.format(digits=digits, most=MAX_DIGITS)
    size = exponent.lstrip("+-").lstrip("0")
    if len(size) > 3 or (size and int(size) > MAX_EXPONENT):
        return OUT_OF_RANGE.format(most=MAX_EXPONENT)
    return None


def _inspect_number(position: int, token: str, hazards: Hazards) -> None:
    if problem := number_problem(token):
        hazards.refuse(position, problem)
    if "e" in token or "E" in token:
        hazards.is_reworded = True  # jsonb writes 1E5 as 100000
    elif token[0] == "-" and not token.strip("-0."):
        hazards.is_reworded = True  # jsonb has no minus zero


def _inspect_key(position: int, token: str, keys: set[str], hazards: Hazards) -> None:
    key = json.loads(token) if "\\" in token else token[1:-1]
    if key in keys:
        label = key if len(key) <= 40 else f"{key[:39]}…"
        hazards.doubt(position, TWICE.format(key=json.dumps(label, ensure_ascii=False)))
    keys.add(key)


def _inspect_escapes(start: int, token: str, hazards: Hazards) -> None:
    high: re.Match[str] | None = None
    for match in _ESCAPE.finditer(token):
        code = int(match[1], 16) if match[1] else None
        if high and (code is None or not 0xDC00 <= code <= 0xDFFF or match.start() != high.end()):
            _note_unpaired(start, high, hazards)
            high = None
        if code == 0:
            hazards.doubt(start + match.start(), NUL)
            hazards.replacements.append((start + match.start(), start + match.end()))
        elif code is not None and 0xD800 <= code <= 0xDBFF:
            high = match
        elif code is not None and 0xDC00 <= code <= 0xDFFF:
            if high is None:
                _note_unpaired(start, match, hazards)
            high = None
    if high:
        _note_unpaired(start, high, hazards)


def _note_unpaired(start: int, match: re.Match[str], hazards: Hazards) -> None:
    hazards.doubt(start + match.start(), UNPAIRED.format(code=match[0]))
    hazards.replacements.append((start + match.start(), start + match.end()))
