"""The walk through a JSON text, token by token, that masks what its keys and the look of its values betray.

The masker decides; the walk knows JSON: which key stands before a value, and what a list or an object says of
the value beside it. What is not masked stays byte for byte as it was.
"""

import json
import re
from functools import lru_cache
from typing import Protocol

from dlqconsole.processing.masking.keys import MaskedKeys
from dlqconsole.processing.masking.pairs import NAMES, VALUES
from dlqconsole.processing.masking.values import number_kind

_TOKEN = re.compile(
    r"[ \t\r\n]*+(?:(?P<string>\"(?:[^\"\\]++|\\.)*+\")|(?P<mark>[{}\[\],:])"
    r"|(?P<plain>-?[0-9][0-9.eE+-]*+|true|false|null|NaN|-?Infinity))",
    re.DOTALL,
)
_SPACE = re.compile(r"[ \t\r\n]*+")


class NotJson(Exception):
    """The text is no JSON, or not from here on."""


class MasksTokens(Protocol):
    """The part of a masker that the walk uses."""

    keys: MaskedKeys

    def string(self, token: str, depth: int) -> str:
        """A string of JSON, quotes and all, masked by its look; ``depth``: in how many other strings."""

    def token_placeholder(self, kind: str, token: str) -> str:
        """Return the placeholder of a whole string or number of this kind."""


class Open:
    """An open bracket: the kind that the key before it gave to all within, and what its members tell."""

    __slots__ = ("bracket", "key", "kind", "kind_by_name", "kind_of_second", "value", "value_at")

    def __init__(self, bracket: str, kind: str) -> None:
        self.bracket, self.kind, self.key = bracket, kind, ""
        # by a "name" the kind of the "value"; by the first of two in a list the second's
        self.kind_by_name, self.kind_of_second = "", ""
        # a string under "value" whose "name" may follow
        self.value_at, self.value = 0, ""

    def kind_of_value(self) -> str:
        return self.kind_by_name if self.kind_by_name and self.key in VALUES else ""


class JsonWalk:
    """One way through a JSON text: a stack instead of recursion, for a text may be nested a million deep."""

    def __init__(self, masker: MasksTokens, text: str, depth: int) -> None:
        self.masker, self.text, self.depth = masker, text, depth
        # the output so far, for a text whose end is missing
        self.out: list[str] = []
        self.position, self.kind = 0, ""

    def pieces(self) -> list[str]:
        """The text in pieces, masked. Raises NotJson at the first token that does not belong there."""
        out = self.out
        # for each open bracket: which, and the kind that the key before it gave to all that is within
        stack: list[Open] = []
        kind, place, position, text = "", "value", 0, self.text
        match_token = _TOKEN.match
        start = 0
        try:
            while place != "end":
                start = position
                token = match_token(text, position)
                if token is None:
                    raise NotJson
                word = token[token.lastgroup or 0]
                start = token.end() - len(word)
                if start > position:
                    out.append(text[position:start])
                position = token.end()
                if token.lastgroup == "mark" and word not in ",:":
                    place, kind = self._bracket(word, place, kind, stack)
                    out.append(word)
                elif word == ":" and place == "colon":
                    out.append(word)
                    place = "value"
                elif word == "," and place == "next":
                    out.append(word)
                    bracket = stack[-1]
                    place = "key" if bracket.bracket == "{" else "value"
                    kind, bracket.kind_of_second = bracket.kind_of_second or bracket.kind, ""
                elif token.lastgroup == "string" and place in ("key", "first key"):
                    out.append(self.masker.string(word, self.depth))
                    kind, place = self._kind_behind(word, stack[-1]), "colon"
                elif token.lastgroup != "mark" and place in ("value", "first value"):
                    out.append(self._scalar(word, kind))
                    self._note_name(word, place, stack)
                    place = "next" if stack else "end"
                else:
                    raise NotJson
                if place == "next":
                    kind = stack[-1].kind
        except NotJson:
            self.position, self.kind = start, kind
            raise
        rest = _SPACE.match(text, position)
        if rest is None or rest.end() != len(text):
            self.position = position
            raise NotJson
        return [*out, text[position:]]

    def _kind_behind(self, word: str, bracket: Open) -> str:
        """The kind that this key gives to what is behind it."""
        bracket.key = _key(word)
        return bracket.kind or self.masker.keys.kind(bracket.key) or bracket.kind_of_value()

    def _note_name(self, word: str, place: str, stack: list[Open]) -> None:
        """Note the key that names another value: ``{"name": "password", "value": "x"}``, ``[["ssn", 1]]``."""
        if not stack or word[0] != '"':
            return
        bracket = stack[-1]
        if bracket.bracket == "[":
            if place == "first value" and len(stack) > 1 and stack[-2].bracket == "[":
                bracket.kind_of_second = self.masker.keys.kind(_key(word))
        elif bracket.key.lower() in NAMES:
            bracket.kind_by_name = self.masker.keys.kind(_key(word))
            if bracket.kind_by_name and bracket.value_at:
                self.out[bracket.value_at] = self._scalar(bracket.value, bracket.kind_by_name)
        elif bracket.key in VALUES:
            bracket.value_at, bracket.value = len(self.out) - 1, word

    def _bracket(self, word: str, place: str, kind: str, stack: list[Open]) -> tuple[str, str]:
        if word in "{[":
            if place not in ("value", "first value"):
                raise NotJson
            stack.append(Open(word, kind))
            return ("first key" if word == "{" else "first value"), kind
        opening = stack.pop().bracket if stack else ""
        places = ("next", "first key") if word == "}" else ("next", "first value")
        if opening + word not in ("{}", "[]") or place not in places:
            raise NotJson
        return ("next" if stack else "end"), kind

    def _scalar(self, word: str, kind: str) -> str:
        return masked_scalar(self.masker, word, kind, self.depth)


def masked_scalar(masker: MasksTokens, word: str, kind: str, depth: int) -> str:
    """A string, a number or a word of JSON, masked: behind a key of this kind, or by its look."""
    if word[0] == '"':
        if kind and len(word) > 2:
            return quoted_mark(masker.token_placeholder(kind, word))
        return masker.string(word, depth)
    if word in ("true", "false", "null"):
        return word
    value_kind = kind or number_kind(word.removesuffix(".0"))
    return quoted_mark(masker.token_placeholder(value_kind, word)) if value_kind else word


def quote(text: str) -> str:
    """A string of JSON that any encoding can carry: a lone surrogate stays the escape it was."""
    token = json.dumps(text, ensure_ascii=False)
    return token if token.isprintable() else json.dumps(text)


# nearly all placeholders are a dozen
quoted_mark = lru_cache(maxsize=256)(quote)


def _key(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        raise NotJson from None
