"""What happened to a dead letter: the runs of its handler, and what people did."""

from dlqconsole.engine.models import Attempt, AuditEntry
from dlqconsole.operations.models import OperationItem

SHOWN = 50
_TRACE = 20_000  # characters of an attempt's stack trace


def attempts(letter_id: int) -> list[Attempt]:
    """The newest runs of its handler, numbered from the first."""
    found = Attempt.objects.filter(dlq_event_id=letter_id)
    total = found.count()
    rows = list(found.order_by("-id")[:SHOWN])
    for place, row in enumerate(rows):
        row.number = total - place  # type: ignore[attr-defined]
        row.error_stacktrace = row.error_stacktrace[:_TRACE]
    return rows


def history(letter_id: int) -> list[AuditEntry]:
    """What was done to it, alone or as one of an operation's many; newest first."""
    operations = OperationItem.objects.filter(dead_letter_id=letter_id).order_by("-operation_id")
    ids = list(operations.values_list("operation_id", flat=True)[:SHOWN])
    alone = AuditEntry.objects.filter(target=f"dead_letter:{letter_id}").order_by("-id")[:SHOWN]
    among = AuditEntry.objects.filter(operation_id__in=ids).order_by("-id")[:SHOWN]
    return sorted({*alone, *among}, key=lambda entry: -entry.pk)[:SHOWN]
