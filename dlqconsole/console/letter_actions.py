"""What may be done with one dead letter now, and why not the rest."""

from typing import Any

from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.states import DISCARDABLE, RESTORABLE, RETRIABLE, REVIVABLE, DeadLetterStatus
from dlqconsole.operations.models import Kind

_FROM = {
    Kind.RETRY: RETRIABLE,
    Kind.REVIVE: REVIVABLE,
    Kind.DISCARD: DISCARDABLE,
    Kind.RESTORE: RESTORABLE,
}


def actions(letter: DeadLetter, may_operate: bool) -> list[dict[str, Any]]:
    """One entry a kind of operation: ``kind``, ``label``, ``enabled``, ``why_not``."""
    return [_action(kind, letter.status, may_operate) for kind in Kind]


def _action(kind: Kind, status: str, may_operate: bool) -> dict[str, Any]:
    why_not = "" if status in _FROM[kind] else _why_not(kind, status)
    if not may_operate:
        why_not = "Viewers may look, not change. Ask an administrator to become an operator."
    return {"kind": kind.value, "label": kind.label, "enabled": not why_not, "why_not": why_not}


def _why_not(kind: Kind, status: str) -> str:
    allowed = " or ".join(DeadLetterStatus(state).label.lower() for state in _FROM[kind])
    return f"It is {DeadLetterStatus(status).label.lower()}; only what is {allowed} can be {_DONE[kind]}."


_DONE = {
    Kind.RETRY: "retried",
    Kind.REVIVE: "revived",
    Kind.DISCARD: "discarded",
    Kind.RESTORE: "restored",
}
