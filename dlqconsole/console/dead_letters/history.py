"""What people did to a dead letter, alone or as one of an operation's many."""

from typing import Any

from dlqconsole.console.audit.words import sentence
from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations import receipts
from dlqconsole.operations.models import OperationItem
from dlqconsole.people.names import named

SHOWN = 50


def history(letter_id: int, texts: ShownTexts) -> list[dict[str, Any]]:
    """The newest of what people did: ``at``, ``text``, ``reason``, and the operation where it was one."""
    found = AuditEntry.objects.filter(target=f"dead_letter:{letter_id}").order_by("-id")[:SHOWN]
    alone = [{"at": entry.at, "text": sentence(entry), "reason": entry.reason} for entry in found]
    among = [_part(item, texts) for item in receipts.operations_of(letter_id, SHOWN)]
    return sorted([*alone, *among], key=lambda entry: entry["at"], reverse=True)[:SHOWN]


def _part(item: OperationItem, texts: ShownTexts) -> dict[str, Any]:
    """What an operation made of it."""
    operation = item.operation
    return {
        "at": operation.created_at,
        "text": f"asked for by {named(operation.actor)}",
        "reason": operation.reason,
        "operation": operation,
        "status": item.status,
        "why": texts.text(item.reason),
    }
