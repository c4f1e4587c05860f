"""Which dead letters a kind of operation may touch, and in words why not the others."""

from dlqconsole.engine.lifecycle.states import (
    DISCARDABLE,
    EDITABLE,
    PURGEABLE,
    RESTORABLE,
    RETRIABLE,
    REVIVABLE,
    DeadLetterStatus,
)
from dlqconsole.operations.models import Kind

_FROM: dict[str, tuple[DeadLetterStatus, ...]] = {
    Kind.RETRY: RETRIABLE,
    Kind.REVIVE: REVIVABLE,
    Kind.DISCARD: DISCARDABLE,
    Kind.RESTORE: RESTORABLE,
    Kind.EDIT: EDITABLE,
    Kind.RECLASSIFY: tuple(status for status in DeadLetterStatus if status != DeadLetterStatus.RETRYING),
    Kind.EXPORT: tuple(DeadLetterStatus),
    Kind.PURGE: PURGEABLE,
    # what an undo may touch is decided by what the other operation did
    Kind.UNDO: tuple(DeadLetterStatus),
}

_WHY = {
    DeadLetterStatus.RETRYING: "is being retried just now",
    DeadLetterStatus.SUCCEEDED: "has already SUCCEEDED",
    DeadLetterStatus.REVIVED: "is already REVIVED",
    DeadLetterStatus.DISCARDED: "is DISCARDED: restore it first",
}


def eligible(kind: str) -> list[str]:
    """The states from which an operation of this kind moves a dead letter."""
    return [str(status) for status in _FROM[kind]]


def why_not(kind: str) -> dict[str, str]:
    """For every other state the reason why a dead letter in it is skipped."""
    others = [status for status in DeadLetterStatus if status not in _FROM[kind]]
    return {str(status): _sentence(kind, status) for status in others}


def _sentence(kind: str, status: DeadLetterStatus) -> str:
    if kind == Kind.RESTORE:
        return f"is not discarded: it is {status}"
    if kind == Kind.PURGE:
        return f"is not closed: it is {status}, and only what is DISCARDED or SUCCEEDED can be purged"
    if kind == Kind.DISCARD and status == DeadLetterStatus.DISCARDED:
        return "is already DISCARDED"
    return _WHY[status]
