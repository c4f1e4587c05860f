"""What may be done with one dead letter now, and why not the rest."""

from typing import Any

from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.eligibility import why_not
from dlqconsole.operations.models import Kind

VIEWERS = "Viewers may look, not change. Ask an administrator to become an operator."


def actions(letter: DeadLetter, may_operate: bool) -> list[dict[str, Any]]:
    """One entry a kind of operation: ``kind``, ``label``, ``enabled``, ``why_not``."""
    return [_action(kind, letter.status, may_operate) for kind in Kind]


def _action(kind: Kind, status: str, may_operate: bool) -> dict[str, Any]:
    reason = why_not(kind).get(status, "")
    sentence = f"This dead letter {reason}." if reason else ""
    if not may_operate:
        sentence = VIEWERS
    return {"kind": kind.value, "label": kind.label, "enabled": not sentence, "why_not": sentence}
