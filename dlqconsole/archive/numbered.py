"""Find archived dead letters by their numbers."""

from collections.abc import Iterable
from typing import Any

from dlqconsole.archive.errors import ArchiveRefused
from dlqconsole.archive.finding import ArchiveMatches
from dlqconsole.archive.letters import Archived, find_seen

_TEXTS = ("status", "error_category", "event_type", "queue", "source", "source_key", "error_reason")


def find_numbered(numbers: Iterable[int]) -> tuple[ArchiveMatches, list[int]]:
    """Return the archived dead letters within the scope, and the numbers that the archive does not have."""
    matches, absent = ArchiveMatches(), list[int]()
    for number in dict.fromkeys(numbers):
        try:
            letter = find_seen(number)
        except ArchiveRefused as refusal:
            matches.unread.append(str(refusal))
            continue
        if letter is None:
            absent.append(number)
        else:
            matches.rows.append(_row(letter))
    return matches, absent


def _row(letter: Archived) -> dict[str, Any]:
    texts = {name: letter.text(name) for name in _TEXTS}
    return texts | {"id": letter.id, "created_at": letter.moment("created_at"), "file_id": letter.file.pk}
