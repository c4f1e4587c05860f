"""The masker of JSON and of free text.

It goes by the names of keys and by the look of values. What it finds becomes a
placeholder that says what stood there, ``‹email›``; everything else stays byte for byte as it was: JSON is
walked token by token, and no number becomes a float. Text that is no JSON is masked as free text.
Nothing here raises, whatever the text, and the time is in proportion to its length.
"""

import hmac
import json
import re
from collections.abc import Iterable
from functools import lru_cache

from dlqconsole.processing.masking.json_walk import JsonWalk, NotJson, quote
from dlqconsole.processing.masking.keys import MaskedKeys
from dlqconsole.processing.masking.pairs import mask_other_pairs, mask_pairs
from dlqconsole.processing.masking.plain_texts import PlainTexts
from dlqconsole.processing.masking.shapes import Shapes
from dlqconsole.processing.masking.values import mask_values
from dlqconsole.processing.texts import TEXT_LIMIT

# JSON written into a string of JSON is looked into so far
_DEEPEST_STRING = 3
# texts worth remembering: long ones of a usual length, and short strings; texts not worth a quick look
_LONG_TEXT, _SHORT_TOKEN, _SHORT_TEXT = 400, 64, 16
# an address that ends with the text may go on behind it
_CUT_EMAIL = re.compile(r"(?<![\w.+'-])[\w.+'-]++(?:@|%40)[\w.-]*\Z")
# a placeholder is never masked again
_MARKS = "‹›"


class Masker:
    """Masks texts. With a ``secret`` equal values get equal marks (``‹email 3fa9c1d2›``), so that they can
    be counted and joined without being read."""

    def __init__(self, more_keys: Iterable[str] = (), secret: bytes = b"") -> None:
        self.keys = MaskedKeys(tuple(more_keys))
        self._secret = secret
        self._hints = self.keys.hints()
        self._is_plain = PlainTexts(self.keys).is_plain
        self._shapes = Shapes(self, self._is_plain)
        # the same traces, keys and words come again and again
        self._known_text = lru_cache(maxsize=128)(self._text)
        self._known_token = lru_cache(maxsize=16_384)(self._string)

    def json(self, text: str) -> str:
        """Mask JSON text; what is no JSON is masked as free text."""
        return text if self._is_plain(text) else self._json(text, 0)

    def json_beginning(self, text: str) -> str:
        """Mask the beginning of JSON text: what is cut off may be in the middle of a string."""
        end = text[-_LONG_TEXT:]
        end = _CUT_EMAIL.sub(lambda match: self._placeholder("email", match[0]), end)
        text = text[:-_LONG_TEXT] + end
        if self._is_plain(text):
            return text
        walk = JsonWalk(self, text, 0)
        try:
            return "".join(walk.pieces())
        except NotJson:
            return "".join(walk.out) + self._after(text[walk.position :], walk.kind)

    def _after(self, rest: str, kind: str) -> str:
        """Mask what is no JSON any more, behind a key of this kind."""
        if kind and rest.strip():
            return self._placeholder(kind, rest)
        return self.text(rest)

    def text(self, text: str) -> str:
        """Mask free text: a reason, a stack trace, a line of a log."""
        # of a short text the quick look would cost as much as the exact one
        if len(text) < _SHORT_TEXT:
            return self._exact_text(text)
        if len(text) < _LONG_TEXT:
            return self._text(text)
        return self._known_text(text) if len(text) <= TEXT_LIMIT else self._text(text)

    def _text(self, text: str) -> str:
        return text if self._is_plain(text) else self._exact_text(text)

    def _exact_text(self, text: str) -> str:
        text = mask_other_pairs(text, self.keys.kind, self._placeholder)
        if ":" in text or "=" in text:
            lower = text.lower()
            if any(hint in lower for hint in self._hints):
                text = mask_pairs(text, self.keys.kind, self._placeholder)
        return mask_values(text, self._placeholder)

    def _placeholder(self, kind: str, value: str) -> str:
        if value[:1] == _MARKS[0] and value[-1:] == _MARKS[1]:
            return value
        if not self._secret:
            return f"‹{kind}›"
        content = f"{kind}\0{value}".encode("utf-8", "surrogatepass")
        return f"‹{kind} {hmac.digest(self._secret, content, 'sha256').hex()[:8]}›"

    def token_placeholder(self, kind: str, token: str) -> str:
        """Return the placeholder of a whole string or number of JSON, as it is written there."""
        return self._placeholder(kind, token[1:-1] if token[:1] == '"' else token)

    def _json(self, text: str, depth: int) -> str:
        masked = self._shapes.masked(text, depth)
        return self._walk(text, depth) if masked is None else masked

    def _walk(self, text: str, depth: int) -> str:
        try:
            return "".join(JsonWalk(self, text, depth).pieces())
        except NotJson:
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
                raise NotJson from None
        may_be_json = depth < _DEEPEST_STRING and value[:1] in "{[" and value[-1:] in "}]"
        result = self._json(value, depth + 1) if value and may_be_json else self.text(value)
        return token if result == value else quote(result)
