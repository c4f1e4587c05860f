"""The names of people behind ``user:7``, also of accounts that were renamed or deleted.

A name stands alone where it means one account only; else the account's number stands beside it.
"""

import re
import threading
import unicodedata
from collections import Counter
from typing import Any

from dlqconsole.people.models import AccountName

_ACTOR = re.compile(r"\buser:([1-9][0-9]{0,9})\b")
# a machine that acts for a person by their standing rule: "<machine> 3 for ann"
_MACHINE = re.compile(r"\b([a-z]+):([1-9][0-9]*) for (?=user:[1-9])")
_cache = threading.local()


def named(text: str) -> str:
    """Replace each ``user:7`` in our text by its name: ``bob``, or ``rob (user 7, before: bob)``."""
    if "user:" not in text:
        return text
    names = _names_by_id()
    return _ACTOR.sub(lambda match: names.get(int(match[1]), match[0]), _MACHINE.sub(r"\1 \2 for ", text))


def remember(**_signal: Any) -> None:
    """Begin a request: the names read in it are kept until it ends."""
    _cache.names = None
    _cache.is_kept = True


def forget(**_signal: Any) -> None:
    """End a request: forget its names."""
    _cache.names = None
    _cache.is_kept = False


def _names_by_id() -> dict[int, str]:
    names: dict[int, str] | None = getattr(_cache, "names", None)
    if names is None:
        names = _read()
        if getattr(_cache, "is_kept", False):
            _cache.names = names
    return names


def _read() -> dict[int, str]:
    history: dict[int, list[AccountName]] = {}
    for row in AccountName.objects.order_by("id"):
        history.setdefault(row.user_id, []).append(row)
    bearers = Counter(form for rows in history.values() for form in {_skeleton(row.name) for row in rows})
    return {user_id: _words(user_id, rows, bearers) for user_id, rows in history.items()}


def _words(user_id: int, rows: list[AccountName], bearers: Counter[str]) -> str:
    newest = rows[-1].name
    before = [name for name in dict.fromkeys(row.name for row in rows) if name != newest]
    more = [f"before: {', '.join(before)}"] if before else []
    more += ["deleted"] if rows[-1].until else []
    if not more and bearers[_skeleton(newest)] == 1 and not _mixes_alphabets(newest):
        return newest
    return f"{newest} ({', '.join([f'user {user_id}', *more])})"


def _skeleton(name: str) -> str:
    """The skeleton of a name: the same for spellings that a person could confuse."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _mixes_alphabets(name: str) -> bool:
    """Tell whether a name mixes letters of several alphabets, which can look alike."""
    return not name.isascii() and any(letter.isascii() and letter.isalpha() for letter in name)
