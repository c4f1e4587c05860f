"""What stands on a queue, for the page on which its purge is confirmed."""

from collections.abc import Sequence
from typing import Any

from dlqconsole.engine.lifecycle.states import MessageStatus
from dlqconsole.engine.models import Queue
from dlqconsole.engine.queues import purging
from dlqconsole.engine.queues.purging import Standing
from dlqconsole.operations.preview import Preview, SelectionPart
from dlqconsole.operations.scope import QueueMessages
from dlqconsole.processing.durations import duration

_STATES = {
    MessageStatus.PENDING: "Waits for a consumer",
    MessageStatus.SCHEDULED: "Scheduled for later",
    MessageStatus.WAITING: "Behind its group",
    MessageStatus.HELD: "Held back by an undo window",
}
_NOT_PAUSED = (
    "Its consumers go on meanwhile: what they take first is skipped. Pause the queue to keep it still."
)


def of_queue(scope: QueueMessages, found: Preview) -> dict[str, Any]:
    """The context: how its messages stand there, how old they are, and what becomes of them."""
    standing = {each.status: each for each in found.standing}
    going = [standing[status] for status in _STATES if status in standing]
    parts = [SelectionPart(_STATES[MessageStatus(each.status)], each.number) for each in going]
    return {
        "cuts": [{"title": "On the queue", "parts": parts}] if parts else [],
        "facts": [*_ages(going), *_left(found.standing), *_becomes(scope.queue, going)],
        "not_counted": found.is_least,
        "why_none": "Nothing stands on it that a purge would remove.",
        "notes": [] if Queue.objects.filter(pk=scope.queue, paused=True).exists() else [_NOT_PAUSED],
    }


def _ages(going: Sequence[Standing]) -> list[tuple[str, str]]:
    if not going:
        return []
    oldest, newest = (
        max(each.oldest_seconds for each in going),
        min(each.newest_seconds for each in going),
    )
    return [("Oldest", duration(max(oldest, 0))), ("Newest", duration(max(newest, 0)))]


def _left(standing: Sequence[Standing]) -> list[tuple[str, str]]:
    held = sum(each.number for each in standing if each.status not in _STATES)
    expired = sum(each.expired for each in standing)
    more = f" ({expired:,} more, whose lease has run out, {_goes(expired)} too)" if expired else ""
    return [("In flight, left", f"{held:,}{more}")]


def _goes(number: int) -> str:
    return "goes" if number == 1 else "go"


def _becomes(queue: str, going: Sequence[Standing]) -> list[tuple[str, str]]:
    until = purging.kept_until(queue)
    kept = f"archived until {until:%Y-%m-%d}" if until else "gone for good"
    revived = sum(each.revived for each in going)
    return [
        ("After that", kept),
        *([("Revived dead letters", f"{revived:,} go back to where they were")] if revived else []),
    ]
