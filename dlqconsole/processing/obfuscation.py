"""Writings that hide a value from patterns and not from people: invisible characters, escapes, odd digits.

Such a text is masked by a copy in plain characters; what is found there is replaced where it stands in the
text itself, and the rest stays as it was.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache

type Replace = Callable[[str, str], str]
type Mask = Callable[[str, Replace], str]

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    + "\ufe00-\ufe0f\ufeff"
)
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_DASHES = "\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d"
_DIGITS = (
    "\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\u2070-\u2089\U0001d7ce-\U0001d7ff"
)
_WIDE = "\ufe6b\uff01-\uff5e\uff61"
# our own numbers of places, see _Places: what stands in a text is none
_PLACE = "\ue100-\ue109"
_ESCAPE = re.compile(
    r"%(?:25){0,3}(?P<percent>[2-7][0-9A-Fa-f])"
    r"|\\{1,8}(?:u(?P<json>[0-9A-Fa-f]{4})|x(?P<hex>[2-7][0-9A-Fa-f]))"
    r"|(?P<entity>&(?:amp;)?(?:#[0-9]{2,6}|#[xX][0-9A-Fa-f]{2,5}|commat|period|nbsp|shy|quot|lt|gt|amp|colon|equals);)"
    r"|(?P<mail>=40(?=[A-Za-z]))"  # quoted-printable
)
_ALL = f"{_INVISIBLE}{_SPACES}{_DASHES}{_DIGITS}{_WIDE}{_PLACE}"
_CHARACTER = re.compile(f"[{_ALL}]")
# The look-ahead passes over other characters five times as quickly as a try of each.
_DISGUISE = re.compile(
    rf"(?=[%&=\\{_ALL}])(?:(?P<gone>[{_INVISIBLE}]+)|(?P<character>[{_ALL}])|{_ESCAPE.pattern})"
)
_DASH = re.compile(f"[{_DASHES}]")
_GONE = re.compile(f"[{_INVISIBLE}]")


def may_be(text: str) -> bool:
    """A quick look: False where there certainly is none."""
    if not text.isascii() and _CHARACTER.search(text):
        return True
    if "%" in text or "&" in text or ("\\" in text and ("\\u" in text or "\\x" in text)):
        return _ESCAPE.search(text) is not None
    return "=" in text and "=40" in text and _ESCAPE.search(text) is not None


def mask(text: str, mask_plain: Mask, replace: Replace) -> str:
    """Replace in the text what ``mask_plain`` finds in its plain copy."""
    copy = _Copy(text)
    places = _Places()
    result = mask_plain(copy.plain, places.replace)
    pieces, position = [], 0
    for start, end, kind in places.spans(result):
        begin, after = copy.place(start), copy.place(end)
        pieces += [text[position:begin], replace(kind, text[begin:after])]
        position = after
    return "".join((*pieces, text[position:]))


class _Copy:
    """The text in plain characters, which knows where each of them, and the end, begins in the text."""

    def __init__(self, text: str) -> None:
        # behind each disguise: its end in the copy, and in the text
        self._ends, self._text_ends = [0], [0]
        pieces: list[str] = []
        position = length = 0
        for match in _DISGUISE.finditer(text):
            start, end = match.span()
            kind = match.lastgroup or ""
            plain = _character(kind, match[kind])
            pieces += (text[position:start], plain)
            length += start - position + len(plain)
            self._ends.append(length)
            self._text_ends.append(end)
            position = end
        self.plain = "".join((*pieces, text[position:]))

    def place(self, position: int) -> int:
        """Return the place in the text where a character of the copy begins."""
        last = bisect_right(self._ends, position) - 1
        return self._text_ends[last] + position - self._ends[last]


@lru_cache(maxsize=1024)
def _character(kind: str, text: str) -> str:
    """One plain character, or none for what nobody sees."""
    if kind == "gone":
        return ""
    if kind == "entity":
        text = html.unescape(html.unescape(text))
    elif kind == "mail":
        text = "@"
    elif kind != "character":
        text = chr(int(text, 16))
    return text if text.isascii() and len(text) == 1 else _of_other_writing(text)


def _of_other_writing(character: str) -> str:
    if _GONE.fullmatch(character):
        return ""
    if _DASH.fullmatch(character):
        return "-"
    plain = str(unicodedata.decimal(character, "")) if len(character) == 1 else ""
    plain = plain or unicodedata.normalize("NFKC", character)
    is_usable = len(plain) == 1 and not re.match(f"[{_PLACE}\ud800-\udfff]", plain)
    return plain if is_usable else "\ufffd"


class _Places:
    """Placeholders with numbers that no text holds, from which the places can be told."""

    _MARK = re.compile(f"‹([{_PLACE}]+)›")

    def __init__(self) -> None:
        self._values: list[tuple[str, int]] = []

    def replace(self, kind: str, value: str) -> str:
        if value[:1] == "‹" and value[-1:] == "›":
            return value
        self._values.append((kind, len(self._MARK.sub(lambda mark: "x" * self._number(mark[1])[1], value))))
        return "‹" + "".join(chr(0xE100 + int(digit)) for digit in str(len(self._values) - 1)) + "›"

    def spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield the place in the copy, and the kind, of each mark that is left in the masked ``text``."""
        position, mark_end = 0, 0
        for mark in self._MARK.finditer(text):
            kind, length = self._number(mark[1])
            start = position + mark.start() - mark_end
            yield start, start + length, kind
            position, mark_end = start + length, mark.end()

    def _number(self, digits: str) -> tuple[str, int]:
        return self._values[int("".join(str(ord(character) - 0xE100) for character in digits))]
