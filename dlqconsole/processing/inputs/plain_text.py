"""Text that PostgreSQL can keep and a page can show again."""

import re
from collections import Counter
from collections.abc import Iterable

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.sentences import Sentence
from dlqconsole.processing.texts import printable, sanitise_text

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_LINE_ENDS = re.compile("[\t\r\n]+")

REASON_LIMIT = 2_000
NO_REASON = Sentence("Say why: the audit log keeps the reason.")

# small letters, digits and _, at most 40: a name stands in addresses, forms, commands and SQL alike
NAME = re.compile("[a-z][a-z0-9_]{0,39}")


def is_storable(text: str) -> bool:
    """Tell whether it has no NUL and no half of a character (an unpaired surrogate)."""
    return _UNSTORABLE.search(text) is None


def check_text(text: str, what: str, limit: int) -> None:
    """Raise InvalidInput, a sentence that begins with ``what``, when it is too long or cannot be stored."""
    if len(text) > limit:
        raise InvalidInput(
            Sentence(
                "{what} has {number:,} characters; the limit is {limit:,}.",
                what=what,
                number=len(text),
                limit=limit,
            )
        )
    if not is_storable(text):
        raise InvalidInput(Sentence("{what} holds a character that cannot be stored.", what=what))


def quoted(value: object, limit: int = 40) -> str:
    """Quote a typed text in a sentence: one line, cut, and nothing in it acts on a page or a terminal."""
    text = _LINE_ENDS.sub(" ", str(value))
    # cut before the rest is looked at: a megabyte may have been sent where a number was asked for
    return f"“{printable(text if len(text) <= limit else f'{text[: limit - 1]}…')}”"


def echo_text(value: object, limit: int) -> str:
    """Return a typed text for the form that refuses it: no longer than a page bears, and encodable."""
    return str(value).replace("\x00", "")[:limit].encode("utf-8", "replace").decode()


def read_reason(text: str) -> str:
    """The reason as a form brings it. Raises InvalidInput: none, too long, or it cannot be stored."""
    reason = text.strip()
    if not reason:
        raise InvalidInput(NO_REASON)
    check_text(reason, Sentence("The reason"), REASON_LIMIT)
    return reason


def checked_reason(text: str) -> str:
    """The reason as a program or a terminal gives it, less what cannot be stored. Raises InvalidInput."""
    return read_reason(sanitise_text(text, limit=len(text) + 1))


def flag(name: str) -> str:
    """A name as it is typed on a command line: ``undo_seconds`` is ``--undo-seconds``."""
    return "--" + name.replace("_", "-")


def duplicates(names: Iterable[str]) -> list[str]:
    """Return the names that stand among these more than once, sorted."""
    return sorted(name for name, times in Counter(names).items() if times > 1)
