"""A quick look that tells that a text certainly holds nothing to mask; nearly all texts do not.

It reads the text as it stands, JSON or not, and errs to one side only: what it lets pass, the exact walk of
``masking`` would have left as it is. A test compares the two. Whatever could hide a key or a value from this
look (``\\u0065mail``, a key with quotes in it) is left to the walk.
"""

import re

from dlqconsole.processing.masking.check_digits import may_look_like_iban, may_look_like_id
from dlqconsole.processing.masking.keys import MaskedKeys
from dlqconsole.processing.masking.pairs import may_hold_other
from dlqconsole.processing.masking.secrets import may_hold_secret
from dlqconsole.processing.masking.values import number_kind

# The text is read backwards: a separator first, then the key that stands before it. A quoted key is taken
# whole, up to its other quote; an unquoted one up to what is no part of a word. Hours are no keys.
_KEY = re.compile(
    r"[:=](?![0-9]{2}(?:[: ]|T[0-9]{2}-[0-9]{2}-[0-9]{4}(?![\w.\\-])))"
    r"(?:[ \t\r\n\\']|[bfnrt](?=\\))*+"
    r"(\"[^\":=]*+\"?\\*+|[\w.-]*+\\?)"
)
_QUOTED_KEY = re.compile(r'"(\\*)([^"\\]*)"(\\*)')
_LAST_WORD = re.compile(r"[\w.-]*")
# a time of day must not be a key that a team wants masked
_LIKE_A_TIME = re.compile(r"[0-9]*t?[0-9]*|[bfnrt]")

_EMAIL = re.compile(r"[\w.+'-](?:@|%40)[\w-]++\.[\w-]")
# of the bytes only what they are is kept: digits are 0, capitals A, small letters b, what stands between
# numbers itself
_SHAPES = bytes(
    48
    if 48 <= byte <= 57
    else 65
    if 65 <= byte <= 90
    else 98
    if 97 <= byte <= 122
    else byte
    if byte in b" .()-+/_"
    else 33
    for byte in range(256)
)
_LONG = 14
_LONG_RUN = re.compile(rb"0{%d,}+" % _LONG)
# The separator is looked for first: most numbers have none.
_SPACED = re.compile(rb"0000(?=[ .-])(?:([ .-])0000\1|[ .-]000000[ .-]00000)")
_PLUS = re.compile(rb"\+ ?0(?:[ .()-]{0,2}0){6}")
_REMEMBERED = 20_000
# Keys that are numbered are looked at once: no key of ours has two digits in a row, so they tell nothing.
_MANY_KEYS = 100
_LONG_NUMBER = re.compile(r"[0-9]{2,}")


class PlainTexts:
    """Knows for a list of keys which texts are plain."""

    def __init__(self, keys: MaskedKeys) -> None:
        self._keys = keys
        self._harmless: set[str] = set()
        self._applies = not any(_LIKE_A_TIME.fullmatch(key) for key in keys.more)
        self._numbers_tell = any(_LONG_NUMBER.search(key) for key in keys.more)

    def is_plain(self, text: str) -> bool:
        """Tell whether there is certainly nothing to mask; False where only the walk can tell."""
        if "\\u" in text or not self._applies or _may_tell(text, self._keys):
            return False
        if (":" in text or "=" in text) and not self._keys_are_harmless(text):
            return False
        return not _may_look_like(text.encode("utf-8", "surrogatepass"))

    def _keys_are_harmless(self, text: str) -> bool:
        keys = _KEY.findall(text[::-1])
        if self._harmless.issuperset(keys):
            return True
        if len(self._harmless) > _REMEMBERED:
            self._harmless.clear()
        for key in self._unknown(keys):
            if not self._is_harmless(key):
                return False
            self._harmless.add(key)
        return True

    def _unknown(self, keys: list[str]) -> set[str]:
        unknown = set(keys) - self._harmless
        if len(unknown) < _MANY_KEYS or self._numbers_tell:
            return unknown
        # all in one go, which takes a quarter of the time: no key has a colon in it
        return set(_LONG_NUMBER.sub("00", ":".join(unknown)).split(":")) - self._harmless

    def _is_harmless(self, backwards: str) -> bool:
        """One key as ``_KEY`` found it: back to front, perhaps with its quotes and what escapes them."""
        kind = self._keys.kind
        if backwards[:1] == '"':
            match = _QUOTED_KEY.fullmatch(backwards)
            if match is None or match[1] != match[3]:
                return False
            last = _LAST_WORD.match(match[2])
            return not kind(match[2][::-1]) and not (last and kind(last[0][::-1]))
        word = backwards[::-1]
        if word[:1] == "\\":
            # a letter behind a backslash may be the end of an escape, and may be the key's first
            word = word[1:]
            if kind(word[1:]):
                return False
        return not kind(word)


def _may_tell(text: str, keys: MaskedKeys) -> bool:
    """Tell whether something may be known by its words or marks."""
    if ("@" in text or "%40" in text) and (":/" in text or ":\\" in text or _EMAIL.search(text)):
        return True
    return may_hold_secret(text) or may_hold_other(text, keys.kind)


def _may_look_like(content: bytes) -> bool:
    """Tell whether it may hold a card, a phone, an IBAN or the like."""
    shape = content.translate(_SHAPES)
    if _SPACED.search(shape) or _has_long_number(content, shape):
        return True
    return may_look_like_id(shape) or may_look_like_iban(shape) or _PLUS.search(shape) is not None


def _has_long_number(content: bytes, shape: bytes) -> bool:
    """Tell whether a long row of digits may be somebody's number; without one that is clear at once."""
    if b"0" * _LONG not in shape:
        return False
    return any(_is_long(content, *match.span()) for match in _LONG_RUN.finditer(shape))


def _is_long(content: bytes, start: int, end: int) -> bool:
    """Tell whether so many digits may be somebody's number."""
    number = content[start:end].decode()
    return content[end : end + 1] in (b"X", b"x") or number_kind(number) != ""
