"""What may be done with one dead letter now, and why not the rest."""

from typing import Any

from dlqconsole.console.access.permissions import VIEWERS
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.eligibility import why_not
from dlqconsole.operations.models import Kind


def bulk_kinds(status: str) -> dict[str, list[Kind]]:
    """What the list's bar offers on a tab: the usual, and ``more`` in a menu; purge where all is closed."""
    if status == DeadLetterStatus.DISCARDED:
        return {"first": [Kind.RESTORE], "more": [Kind.RECLASSIFY, Kind.EXPORT, Kind.PURGE]}
    if status == DeadLetterStatus.SUCCEEDED:
        return {"first": [Kind.EXPORT], "more": [Kind.RECLASSIFY, Kind.PURGE]}
    return {
        "first": [Kind.REVIVE, Kind.RETRY, Kind.DISCARD],
        "more": [Kind.EDIT, Kind.RECLASSIFY, Kind.EXPORT],
    }


def actions(letter: DeadLetter, may_operate: bool) -> list[dict[str, Any]]:
    """One entry a kind of operation: ``kind``, ``enabled``, ``why_not``; Restore only where discarded."""
    is_discarded = letter.status == DeadLetterStatus.DISCARDED
    kinds = [Kind.RETRY, Kind.REVIVE, Kind.DISCARD, *([Kind.RESTORE] if is_discarded else [])]
    return [_action(kind, letter.status, may_operate) for kind in kinds]


def edit_action(letter: DeadLetter, may_operate: bool) -> dict[str, Any]:
    """The same for editing it, which has a page of its own."""
    return _action(Kind.EDIT, letter.status, may_operate)


def _action(kind: Kind, status: str, may_operate: bool) -> dict[str, Any]:
    reason = why_not(kind).get(status, "")
    sentence = f"This dead letter {reason}." if reason else ""
    if not may_operate:
        sentence = VIEWERS
    return {"kind": kind.value, "enabled": not sentence, "why_not": sentence}
