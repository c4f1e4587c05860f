"""A dead letter's event that also succeeded: a message of the same source and id, or a retry."""

from dataclasses import dataclass
from datetime import datetime

from dlqconsole.core.lifecycle.states import OPEN, DeadLetterStatus
from dlqconsole.engine.models import Attempt, DeadLetter, EnrichedEvent


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
        text = f"Its record is kept (enriched_events {self.record:,})."
        return {"at": self.at, "heading": "The same event succeeded", "text": text}


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
        return (
            "The same event succeeded after it had failed here, so that nothing may be left to do. A retry"
            " that succeeds keeps the record that is there."
        )
    return "A record of this event was there before: a retry that succeeds does not replace it."
