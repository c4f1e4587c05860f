"""What people are called: the names behind ``user:7``, also of those that were renamed or are gone.

A name stands alone where it can mean one account only; else its number stands beside it.
"""

import re
import threading
import unicodedata
from collections import Counter
from typing import Any

from dlqconsole.people.models import AccountName

_ACTOR = re.compile(r"\buser:([1-9][0-9]{0,9})\b")
# what acts for a person by a standing rule of theirs: "<machine> 3 for ann"
_MACHINE = re.compile(r"\b([a-z]+):([1-9][0-9]*) for (?=user:[1-9])")
_asked = threading.local()


def named(text: str) -> str:
    """A text of ours with each ``user:7`` in words: ``bob``, or ``rob (user 7, before: bob)``."""
    if "user:" not in text:
        return text
    known = _known()
    return _ACTOR.sub(lambda found: known.get(int(found[1]), found[0]), _MACHINE.sub(r"\1 \2 for ", text))


def remember(**_signal: Any) -> None:
    """A request begins: what is looked up holds until it ends."""
    _asked.names = None
    _asked.is_kept = True


def forget(**_signal: Any) -> None:
    """A request is over."""
    _asked.names = None
    _asked.is_kept = False


def _known() -> dict[int, str]:
    found: dict[int, str] | None = getattr(_asked, "names", None)
    if found is None:
        found = _read()
        if getattr(_asked, "is_kept", False):
            _asked.names = found
    return found


def _read() -> dict[int, str]:
    history: dict[int, list[AccountName]] = {}
    for row in AccountName.objects.order_by("id"):
        history.setdefault(row.user_id, []).append(row)
    bearers = Counter(look for rows in history.values() for look in {_look(row.name) for row in rows})
    return {user_id: _words(user_id, rows, bearers) for user_id, rows in history.items()}


def _words(user_id: int, rows: list[AccountName], bearers: Counter[str]) -> str:
    newest = rows[-1].name
    before = [name for name in dict.fromkeys(row.name for row in rows) if name != newest]
    more = [f"before: {', '.join(before)}"] if before else []
    more += ["deleted"] if rows[-1].until else []
    if not more and bearers[_look(newest)] == 1 and not _mixed(newest):
        return newest
    return f"{newest} ({', '.join([f'user {user_id}', *more])})"


def _look(name: str) -> str:
    """Spellings that a person could take for each other have the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _mixed(name: str) -> bool:
    """Whether letters of several alphabets stand in it: some of one look like some of another."""
    return not name.isascii() and any(letter.isascii() and letter.isalpha() for letter in name)
