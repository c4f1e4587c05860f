"""Archived dead letters by their numbers."""

from collections.abc import Iterable
from typing import Any

from dlqconsole.archive.errors import ArchiveRefused
from dlqconsole.archive.finding import Found
from dlqconsole.archive.letters import Archived, find_seen
from dlqconsole.engine.reach import Reach

_TEXTS = ("status", "error_category", "event_type", "queue", "source", "source_key", "error_reason")


def find_numbered(numbers: Iterable[int], reach: Reach) -> tuple[Found, list[int]]:
    """Those that somebody sees, as a search has them; and the numbers of which none is in the archive."""
    found, absent = Found(), list[int]()
    for number in dict.fromkeys(numbers):
        try:
            letter = find_seen(number, reach)
        except ArchiveRefused as refusal:
            found.unread.append(str(refusal))
            continue
        if letter is None:
            absent.append(number)
        else:
            found.rows.append(_row(letter))
    return found, absent


def _row(letter: Archived) -> dict[str, Any]:
    texts = {name: letter.text(name) for name in _TEXTS}
    return texts | {"id": letter.id, "created_at": letter.moment("created_at"), "file_id": letter.file.pk}
