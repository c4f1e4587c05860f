"""A queue's messages, for the confirm page of its purge."""

from collections.abc import Sequence
from typing import Any

from dlqconsole.core.lifecycle.states import MessageStatus
from dlqconsole.engine.models import Queue
from dlqconsole.engine.queues import waiting_messages
from dlqconsole.engine.queues.waiting_messages import StateCount
from dlqconsole.operations.requests.preview import Preview, SelectionPart
from dlqconsole.operations.requests.scope import QueueMessages
from dlqconsole.processing.quantities import duration
from dlqconsole.transports.queue_overview import is_attached

_STATES = {
    MessageStatus.PENDING: "Waits for a consumer",
    MessageStatus.SCHEDULED: "Scheduled for later",
    MessageStatus.WAITING: "Behind its group",
    MessageStatus.HELD: "Held back by an undo window",
}
_NOT_PAUSED = (
    "Its consumers go on meanwhile: what they take first is skipped. Pause the queue to keep it still."
)
_THERE = (
    "Consumers of other programs go on meanwhile: messages that they take first are skipped. Messages"
    " on their way to the queue are left."
)


def of_queue(scope: QueueMessages, counts: Preview) -> dict[str, Any]:
    """The context: the states of its messages, their age, and their end."""
    standing = {each.status: each for each in counts.standing}
    going = [standing[status] for status in _STATES if status in standing]
    parts = [SelectionPart(_STATES[MessageStatus(each.status)], each.number) for each in going]
    return {
        "cuts": [{"title": "On the queue", "parts": parts}] if parts else [],
        "facts": [*_ages(going), *_in_flight(counts.standing), *_becomes(scope.queue, going)],
        "not_counted": counts.is_least,
        "why_none": "Nothing stands on it that a purge would remove.",
        "notes": _notes(scope.queue),
    }


def _notes(queue: str) -> list[str]:
    if is_attached(queue):
        return [_THERE]
    return [] if Queue.objects.filter(pk=queue, paused=True).exists() else [_NOT_PAUSED]


def _ages(going: Sequence[StateCount]) -> list[tuple[str, str]]:
    ages = [each.oldest_seconds for each in going if each.oldest_seconds is not None]
    if not ages:
        return []
    oldest = max(ages)
    newest = min(each.newest_seconds for each in going if each.newest_seconds is not None)
    return [("Oldest", duration(max(oldest, 0))), ("Newest", duration(max(newest, 0)))]


def _in_flight(standing: Sequence[StateCount]) -> list[tuple[str, str]]:
    number = sum(each.number for each in standing if each.status not in _STATES)
    overdue = sum(each.expired for each in standing)
    more = f" ({overdue:,} more, whose lease has run out, {_goes(overdue)} too)" if overdue else ""
    return [("In flight, left", f"{number:,}{more}")]


def _goes(number: int) -> str:
    return "goes" if number == 1 else "go"


def _becomes(queue: str, going: Sequence[StateCount]) -> list[tuple[str, str]]:
    until = waiting_messages.kept_until(queue)
    after = f"archived until {until:%Y-%m-%d}" if until else "gone for good"
    letters = sum(each.revived for each in going)
    return [
        ("After that", after),
        *([("Revived dead letters", f"{letters:,} go back to where they were")] if letters else []),
    ]
