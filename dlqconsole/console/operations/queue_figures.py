"""A queue's messages, for the confirm page of its purge."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.core.lifecycle.states import MessageStatus
from dlqconsole.engine.models import Queue
from dlqconsole.engine.moments import duration
from dlqconsole.engine.queues import waiting_messages
from dlqconsole.engine.queues.waiting_messages import StateCount
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.requests.preview import Preview, SelectionPart
from dlqconsole.operations.requests.scope import QueueMessages
from dlqconsole.transports.queue_overview import is_attached

_STATES = {
    MessageStatus.PENDING: gettext_lazy("Waits for a consumer"),
    MessageStatus.SCHEDULED: gettext_lazy("Scheduled for later"),
    MessageStatus.WAITING: gettext_lazy("Behind its group"),
    MessageStatus.HELD: gettext_lazy("Held back by an undo window"),
}
_NOT_PAUSED = gettext_lazy(
    "Its consumers go on meanwhile: what they take first is skipped. Pause the queue to keep it still."
)
_THERE = gettext_lazy(
    "Consumers of other programs go on meanwhile: messages that they take first are"
    " skipped. Messages on their way to the queue are left."
)


def of_queue(scope: QueueMessages, counts: Preview) -> dict[str, Any]:
    """The context: the states of its messages, their age, and their end."""
    standing = {each.status: each for each in counts.standing}
    going = [standing[status] for status in _STATES if status in standing]
    parts = [SelectionPart(_STATES[MessageStatus(each.status)], each.number) for each in going]
    return {
        "cuts": [{"title": _("On the queue"), "parts": parts}] if parts else [],
        "facts": [*_ages(going), *_in_flight(counts.standing), *_becomes(scope.queue, going)],
        "not_counted": counts.is_least,
        "why_none": _("Nothing stands on it that a purge would remove."),
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
    return [(_("Oldest"), duration(max(oldest, 0))), (_("Newest"), duration(max(newest, 0)))]


def _in_flight(standing: Sequence[StateCount]) -> list[tuple[str, str]]:
    number = sum(each.number for each in standing if each.status not in _STATES)
    overdue = sum(each.expired for each in standing)
    more = (
        ngettext(
            " ({number:,} more, whose lease has run out, goes too)",
            " ({number:,} more, whose lease has run out, go too)",
            overdue,
        ).format(number=overdue)
        if overdue
        else ""
    )
    return [(_("In flight, left"), f"{number:,}{more}")]


def _becomes(queue: str, going: Sequence[StateCount]) -> list[tuple[str, str]]:
    until = waiting_messages.kept_until(queue)
    after = _("archived until {until:%Y-%m-%d}").format(until=until) if until else _("gone for good")
    letters = sum(each.revived for each in going)
    return [
        (_("After that"), after),
        *(
            [(_("Revived dead letters"), _("{letters:,} go back to where they were").format(letters=letters))]
            if letters
            else []
        ),
    ]
