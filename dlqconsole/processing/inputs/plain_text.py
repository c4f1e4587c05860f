"""Text that PostgreSQL can keep and a page can show again."""

import re

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.texts import printable

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_LINE_ENDS = re.compile("[\t\r\n]+")


def is_storable(text: str) -> bool:
    """Tell whether it has no NUL and no half of a character (an unpaired surrogate)."""
    return _UNSTORABLE.search(text) is None


def check_text(text: str, what: str, limit: int) -> None:
    """Raise InvalidInput, a sentence that begins with ``what``, when it is too long or cannot be stored."""
    if len(text) > limit:
        raise InvalidInput(f"{what} has {len(text):,} characters; the limit is {limit:,}.")
    if not is_storable(text):
        raise InvalidInput(f"{what} holds a character that cannot be stored.")


def quoted(value: object, limit: int = 40) -> str:
    """Quote a typed text in a sentence: one line, cut, and nothing in it acts on a page or a terminal."""
    text = _LINE_ENDS.sub(" ", str(value))
    # cut before the rest is looked at: a megabyte may have been sent where a number was asked for
    return f"“{printable(text if len(text) <= limit else f'{text[: limit - 1]}…')}”"


def echo_text(value: object, limit: int) -> str:
    """Return a typed text for the form that refuses it: no longer than a page bears, and encodable."""
    return str(value).replace("\x00", "")[:limit].encode("utf-8", "replace").decode()
