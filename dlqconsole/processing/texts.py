"""Make text from anywhere safe to store in PostgreSQL and bearable to look at."""

import re
from collections.abc import Callable

TEXT_LIMIT = 64 * 1024
# Cleaning shortens: so many times the limit are looked at on either side of what is longer.
ENDS = 2

# CSI sequences (colours, cursor), OSC sequences (window titles, links), then any lone escape.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])?")
_SURROGATE = re.compile("[\ud800-\udfff]")

# controls except tab and line ends, zero-width and bidirectional marks, line separators, tags, odd spaces,
# halves of characters
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_LINE_ENDS = re.compile("\r\n|[\r\n]")


def sanitise_text(text: str, limit: int = TEXT_LIMIT) -> str:
    """Return `text` without NUL, unpaired surrogates, terminal colours and carriage returns.

    At most `limit` characters come back: of a longer text the head and the tail are kept, with a
    marker that says how many characters were cut between them.
    """
    return _bound(text, limit, _clean)


def one_line(text: str, limit: int) -> str:
    """Like `sanitise_text`, on a single line: for error messages shown in lists."""
    return _bound(text, limit, lambda part: _clean(" ".join(part.split())))


def _bound(text: str, limit: int, clean: Callable[[str], str]) -> str:
    """Clean a text. Of a huge one only the ends are looked at: it takes no longer than a long one."""
    if len(text) <= 2 * ENDS * limit:
        whole = text if text.isprintable() else clean(text)
        return whole if len(whole) <= limit else _cut_middle(whole, whole, len(whole), limit)
    head, tail = text[: ENDS * limit], text[len(text) - ENDS * limit :]
    return _cut_middle(clean(head), clean(tail), len(text), limit)


def _clean(text: str) -> str:
    text = _ANSI.sub("", text).replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", text)


def _cut_middle(begins: str, ends: str, length: int, limit: int) -> str:
    """The head of the one and the tail of the other, which are of one text of so many characters."""
    marker = f"[… {length:,} characters cut …]"  # room for the longest number it may show
    room = max(limit - len(marker), 0)
    head = begins[: room - room // 3]
    tail = ends[max(len(ends) - room // 3, 0) :]
    gap = length - len(head) - len(tail)
    return f"{head}[… {gap:,} characters cut …]{tail}"[:limit]


def printable(text: str) -> str:
    """Text that does nothing to the terminal."""
    return "".join(character if character.isprintable() else "�" for character in text)


def visible(text: str) -> str:
    """Show characters that nobody sees and that change what is read: ``a\\u202eb`` becomes ``a⟦U+202E⟧b``."""
    return HIDDEN.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text)


def visible_line(text: str) -> str:
    """The same, and line ends as ``⟦U+000A⟧``: what a name holds begins no line of its own."""
    return _LINE_ENDS.sub(lambda match: "".join(f"⟦U+{ord(each):04X}⟧" for each in match[0]), visible(text))
