"""What happened to a dead letter: the runs of its handler, and what people did."""

from typing import Any

from dlqconsole.console.audit.words import sentence
from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.engine.models import Attempt, AuditEntry
from dlqconsole.operations import receipts
from dlqconsole.operations.models import OperationItem

SHOWN = 50
_TRACE = 20_000  # characters of an attempt's stack trace


def attempts(letter_id: int, texts: ShownTexts) -> list[Attempt]:
    """The newest runs of its handler, numbered from the first."""
    found = Attempt.objects.filter(dlq_event_id=letter_id)
    total = found.count()
    rows = list(found.order_by("-id")[:SHOWN])
    for place, row in enumerate(rows):
        row.number = total - place  # type: ignore[attr-defined]
        row.error_stacktrace = texts.text(row.error_stacktrace[:_TRACE])
        row.error_reason = texts.text(row.error_reason)
    return rows


def history(letter_id: int, texts: ShownTexts) -> list[dict[str, Any]]:
    """What people did to it, alone or as one of an operation's many; newest first."""
    found = AuditEntry.objects.filter(target=f"dead_letter:{letter_id}").order_by("-id")[:SHOWN]
    alone = [{"at": entry.at, "text": sentence(entry), "reason": entry.reason} for entry in found]
    among = [_part(item, texts) for item in receipts.operations_of(letter_id, SHOWN)]
    return sorted([*alone, *among], key=lambda entry: entry["at"], reverse=True)[:SHOWN]


def _part(item: OperationItem, texts: ShownTexts) -> dict[str, Any]:
    """What an operation made of it."""
    operation = item.operation
    return {
        "at": operation.created_at,
        "text": f"asked for by {operation.actor}",
        "reason": operation.reason,
        "operation": operation,
        "status": item.status,
        "why": texts.text(item.reason),
    }
