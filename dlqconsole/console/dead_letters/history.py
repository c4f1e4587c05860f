"""The things that people did to a dead letter, alone or as one of an operation's items."""

from typing import Any

from dlqconsole.console.audit.words import sentence
from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import OperationItem
from dlqconsole.operations.receipts import receipt
from dlqconsole.people.names import named

SHOWN = 50


def history(letter_id: int, texts: ShownTexts) -> list[dict[str, Any]]:
    """The newest of them: ``at``, ``text``, ``reason``, and the operation if it was one."""
    entries = AuditEntry.objects.filter(target=f"dead_letter:{letter_id}").order_by("-id")[:SHOWN]
    own_entries = [{"at": entry.at, "text": sentence(entry), "reason": entry.reason} for entry in entries]
    operation_entries = [_operation_entry(item, texts) for item in receipt.operations_of(letter_id, SHOWN)]
    return sorted([*own_entries, *operation_entries], key=lambda entry: entry["at"], reverse=True)[:SHOWN]


def _operation_entry(item: OperationItem, texts: ShownTexts) -> dict[str, Any]:
    """The result of an operation for this dead letter."""
    operation = item.operation
    return {
        "at": operation.created_at,
        "text": f"asked for by {named(operation.actor)}",
        "reason": operation.reason,
        "operation": operation,
        "status": item.status,
        "why": texts.text(item.reason),
    }
