"""Make text from anywhere safe to store in PostgreSQL and bearable to look at."""

import re

TEXT_LIMIT = 64 * 1024

# CSI sequences (colours, cursor), OSC sequences (window titles, links), then any lone escape.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])?")
_SURROGATE = re.compile("[\ud800-\udfff]")


def sanitise_text(text: str, limit: int = TEXT_LIMIT) -> str:
    """Return `text` without NUL, unpaired surrogates, terminal colours and carriage returns.

    At most `limit` characters come back: of a longer text the head and the tail are kept, with a
    marker that says how many characters were cut between them.
    """
    if not text.isprintable():
        text = _clean(text)
    return text if len(text) <= limit else _cut_middle(text, limit)


def one_line(text: str, limit: int) -> str:
    """Like `sanitise_text`, on a single line: for error messages shown in lists."""
    return sanitise_text(" ".join(text.split()) if not text.isprintable() else text, limit)


def _clean(text: str) -> str:
    text = _ANSI.sub("", text).replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", text)


def _cut_middle(text: str, limit: int) -> str:
    marker = f"[… {len(text):,} characters cut …]"  # room for the longest number it may show
    room = max(limit - len(marker), 0)
    head, tail = room - room // 3, room // 3
    cut = len(text) - head - tail
    return f"{text[:head]}[… {cut:,} characters cut …]{text[len(text) - tail :]}"[:limit]


def printable(text: str) -> str:
    """Text that does nothing to the terminal."""
    return "".join(character if character.isprintable() else "�" for character in text)
