"""Personal data and secrets, taken out of JSON and of free text before they leave the house.

By the names of keys (``masked_keys``) and by the look of values (``masked_values``). Each becomes a
placeholder that says what stood there, ``‹email›``; everything else stays byte for byte as it was: JSON is
walked token by token, and no number becomes a float. Text that is no JSON is masked as free text.
Nothing here raises, whatever the text, and the time is in proportion to its length.
"""

import hmac
import json
import re
from collections.abc import Iterable
from functools import lru_cache

from dlqconsole.processing import disguises, encoded
from dlqconsole.processing.masked_keys import MaskedKeys
from dlqconsole.processing.masked_pairs import NAMES, VALUES, mask_other_pairs, mask_pairs
from dlqconsole.processing.masked_values import Replace, mask_values, number_kind
from dlqconsole.processing.plain_texts import PlainTexts
from dlqconsole.processing.texts import TEXT_LIMIT

_TOKEN = re.compile(
    r"[ \t\r\n]*+(?:(?P<string>\"(?:[^\"\\]++|\\.)*+\")|(?P<mark>[{}\[\],:])"
    r"|(?P<plain>-?[0-9][0-9.eE+-]*+|true|false|null|NaN|-?Infinity))",
    re.DOTALL,
)
_SPACE = re.compile(r"[ \t\r\n]*+")
# JSON written into a string of JSON is looked into so far
_DEEPEST_STRING = 3
# what is worth remembering: long texts of a usual length, and short strings
_LONG_TEXT, _SHORT_TOKEN = 400, 64
# an address that ends with the text may go on behind it
_CUT_EMAIL = re.compile(r"(?<![\w.+'-])[\w.+'-]++(?:@|%40)[\w.-]*\Z")
# a placeholder is never masked again
_MARKS = "‹›"


class _NotJson(Exception):
    pass


class Masker:
    """Masks texts. With a ``secret`` equal values get equal marks (``‹email 3fa9c1d2›``), so that they can
    be counted and joined without being read."""

    def __init__(self, more_keys: Iterable[str] = (), secret: bytes = b"") -> None:
        self.keys = MaskedKeys(tuple(more_keys))
        self._secret = secret
        self._hints = self.keys.hints()
        self._is_plain = PlainTexts(self.keys).is_plain
        # the same traces, keys and words come again and again
        self._known_text = lru_cache(maxsize=128)(self._text)
        self._known_token = lru_cache(maxsize=16_384)(self._string)

    def json(self, text: str) -> str:
        """Mask JSON text; what is no JSON is masked as free text."""
        return text if self._is_plain(text) else self._json(text, 0)

    def json_beginning(self, text: str) -> str:
        """Mask the beginning of JSON text: what is cut off may be in the middle of a string."""
        end = text[-_LONG_TEXT:]
        end = _CUT_EMAIL.sub(lambda found: self._placeholder("email", found[0]), end)
        text = text[:-_LONG_TEXT] + end
        if self._is_plain(text):
            return text
        walk = _Walk(self, text, 0)
        try:
            return "".join(walk.pieces())
        except _NotJson:
            return "".join(walk.done) + self._after(text[walk.position :], walk.kind)

    def _after(self, rest: str, kind: str) -> str:
        """What is no JSON any more, behind a key of this kind."""
        if kind and rest.strip():
            return self._placeholder(kind, rest)
        return self.text(rest)

    def text(self, text: str) -> str:
        """Mask free text: a reason, a stack trace, a line of a log."""
        # of a short text the quick look would cost as much as the walk
        if len(text) < _LONG_TEXT:
            return self._exact_text(text)
        return self._known_text(text) if len(text) <= TEXT_LIMIT else self._text(text)

    def _text(self, text: str) -> str:
        return text if self._is_plain(text) else self._exact_text(text)

    def _exact_text(self, text: str) -> str:
        if disguises.may_be(text):
            text = disguises.mask(text, self._masked, self._placeholder)
        if encoded.may_hold(text):
            text = encoded.mask(text, self._hides, self._placeholder)
        return self._masked(text, self._placeholder)

    def _masked(self, text: str, replace: Replace) -> str:
        text = mask_other_pairs(text, self.keys.kind, replace)
        if ":" in text or "=" in text:
            lowered = text.lower()
            if any(hint in lowered for hint in self._hints):
                text = mask_pairs(text, self.keys.kind, replace)
        return mask_values(text, replace)

    def _hides(self, text: str) -> bool:
        return bool(text) and self._masked(text, self._placeholder) != text

    def _placeholder(self, kind: str, value: str) -> str:
        if value[:1] == _MARKS[0] and value[-1:] == _MARKS[1]:
            return value
        if not self._secret:
            return f"‹{kind}›"
        known = f"{kind}\0{value}".encode("utf-8", "surrogatepass")
        return f"‹{kind} {hmac.digest(self._secret, known, 'sha256').hex()[:8]}›"

    def _token_placeholder(self, kind: str, token: str) -> str:
        """For a whole string or number of JSON, as it is written there."""
        return self._placeholder(kind, token[1:-1] if token[:1] == '"' else token)

    def _json(self, text: str, depth: int) -> str:
        try:
            return "".join(_Walk(self, text, depth).pieces())
        except _NotJson:
            return self.text(text)

    def string(self, token: str, depth: int) -> str:
        """A string of JSON, quotes and all; itself where there is nothing to hide."""
        return self._known_token(token, depth) if len(token) <= _SHORT_TOKEN else self._string(token, depth)

    def _string(self, token: str, depth: int) -> str:
        value = token[1:-1]
        if "\\" in token:
            try:
                value = json.loads(token, strict=False)
            except ValueError:
                raise _NotJson from None
        nested = depth < _DEEPEST_STRING and value[:1] in "{[" and value[-1:] in "}]"
        masked = self._json(value, depth + 1) if value and nested else self.text(value)
        return token if masked == value else _quote(masked)


def _quote(text: str) -> str:
    """A string of JSON that any encoding can carry: a lone surrogate stays the escape it was."""
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted if quoted.isprintable() else json.dumps(text)


class _Open:
    """An open bracket: the kind that the key before it gave to all within, and what its members tell."""

    __slots__ = ("bracket", "key", "kind", "listed", "named", "value", "value_at")

    def __init__(self, bracket: str, kind: str) -> None:
        self.bracket, self.kind, self.key = bracket, kind, ""
        # by a "name" the kind of the "value"; by the first of two in a list the second's
        self.named, self.listed = "", ""
        # a string under "value" whose "name" may follow
        self.value_at, self.value = 0, ""

    def kind_of_value(self) -> str:
        return self.named if self.named and self.key in VALUES else ""


class _Walk:
    """One way through a JSON text: a stack instead of recursion, for a text may be nested a million deep."""

    def __init__(self, masker: Masker, text: str, depth: int) -> None:
        self.masker, self.text, self.depth = masker, text, depth
        # how far it came, for a text whose end is missing
        self.done: list[str] = []
        self.position, self.kind = 0, ""

    def pieces(self) -> list[str]:
        """The text in pieces, masked. Raises _NotJson at the first token that does not belong there."""
        out = self.done
        # for each open bracket: which, and the kind that the key before it gave to all that is within
        stack: list[_Open] = []
        kind, expected, position, text = "", "value", 0, self.text
        match_token = _TOKEN.match
        start = 0
        try:
            while expected != "end":
                start = position
                token = match_token(text, position)
                if token is None:
                    raise _NotJson
                word = token[token.lastgroup or 0]
                start = token.end() - len(word)
                if start > position:
                    out.append(text[position:start])
                position = token.end()
                if token.lastgroup == "mark" and word not in ",:":
                    expected, kind = self._bracket(word, expected, kind, stack)
                    out.append(word)
                elif word == ":" and expected == "colon":
                    out.append(word)
                    expected = "value"
                elif word == "," and expected == "next":
                    out.append(word)
                    opened = stack[-1]
                    expected = "key" if opened.bracket == "{" else "value"
                    kind, opened.listed = opened.listed or opened.kind, ""
                elif token.lastgroup == "string" and expected in ("key", "first key"):
                    out.append(self.masker.string(word, self.depth))
                    kind, expected = self._kind_behind(word, stack[-1]), "colon"
                elif token.lastgroup != "mark" and expected in ("value", "first value"):
                    out.append(self._scalar(word, kind))
                    self._named(word, expected, stack)
                    expected = "next" if stack else "end"
                else:
                    raise _NotJson
                if expected == "next":
                    kind = stack[-1].kind
        except _NotJson:
            self.position, self.kind = start, kind
            raise
        rest = _SPACE.match(text, position)
        if rest is None or rest.end() != len(text):
            self.position = position
            raise _NotJson
        return [*out, text[position:]]

    def _kind_behind(self, word: str, opened: "_Open") -> str:
        """The kind that this key gives to what is behind it."""
        opened.key = _key(word)
        return opened.kind or self.masker.keys.kind(opened.key) or opened.kind_of_value()

    def _named(self, word: str, expected: str, stack: list["_Open"]) -> None:
        """What says what another value is: ``{"name": "password", "value": "x"}``, ``[["ssn", 1]]``."""
        if not stack or word[0] != '"':
            return
        opened = stack[-1]
        if opened.bracket == "[":
            if expected == "first value" and len(stack) > 1 and stack[-2].bracket == "[":
                opened.listed = self.masker.keys.kind(_key(word))
        elif opened.key.lower() in NAMES:
            opened.named = self.masker.keys.kind(_key(word))
            if opened.named and opened.value_at:
                self.done[opened.value_at] = self._scalar(opened.value, opened.named)
        elif opened.key in VALUES:
            opened.value_at, opened.value = len(self.done) - 1, word

    def _bracket(self, word: str, expected: str, kind: str, stack: list["_Open"]) -> tuple[str, str]:
        if word in "{[":
            if expected not in ("value", "first value"):
                raise _NotJson
            stack.append(_Open(word, kind))
            return ("first key" if word == "{" else "first value"), kind
        opened = stack.pop().bracket if stack else ""
        allowed = ("next", "first key") if word == "}" else ("next", "first value")
        if opened + word not in ("{}", "[]") or expected not in allowed:
            raise _NotJson
        return ("next" if stack else "end"), kind

    def _scalar(self, word: str, kind: str) -> str:
        if word[0] == '"':
            if kind and len(word) > 2:
                return _quote(self.masker._token_placeholder(kind, word))
            return self.masker.string(word, self.depth)
        if word in ("true", "false", "null"):
            return word
        found = kind or number_kind(word.removesuffix(".0"))
        return _quote(self.masker._token_placeholder(found, word)) if found else word


def _key(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        raise _NotJson from None
