"""The deeds of people on a dead letter, and the success of its event by another way."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.console.audit.words import sentence
from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.core.lifecycle.states import OPEN, DeadLetterStatus
from dlqconsole.engine.models import Attempt, AuditEntry, DeadLetter, EnrichedEvent
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
        "text": _("asked for by {actor}").format(actor=named(operation.actor)),
        "reason": operation.reason,
        "operation": operation,
        "status": item.status,
        "why": texts.text(item.reason),
    }


@dataclass(frozen=True, slots=True)
class SameEvent:
    """The stored record of the event. ``own``: an attempt at this dead letter has made it."""

    record: int
    at: datetime
    own: bool
    # its meaning for the next step; empty if there is nothing to do
    means: str

    def row(self) -> dict[str, object]:
        """Its entry of the story."""
        text = _("Its record is kept (enriched_events {record:,}).").format(record=self.record)
        return {"at": self.at, "heading": _("The same event succeeded"), "text": text}


def same_event(letter: DeadLetter) -> SameEvent | None:
    """Look the record up in a unique index. ``letter`` as it is stored: before anything is masked."""
    records = EnrichedEvent.objects.filter(source=letter.source, source_key=letter.source_key)
    for record, at in records.values_list("id", "created_at"):
        return SameEvent(record, at, _is_own(letter, at), _means(letter, at))
    return None


def _is_own(letter: DeadLetter, at: datetime) -> bool:
    return Attempt.objects.filter(
        dlq_event_id=letter.pk, outcome="succeeded", started_at__lte=at, finished_at__gte=at
    ).exists()


def _means(letter: DeadLetter, at: datetime) -> str:
    if letter.status not in (*OPEN, DeadLetterStatus.REVIVED):
        return ""
    if at > letter.last_failure_at:
        return _(
            "The same event succeeded after it had failed here, so that nothing may be left to"
            " do. A retry that succeeds keeps the record that is there."
        )
    return _("A record of this event was there before: a retry that succeeds does not replace it.")
