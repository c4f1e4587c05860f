"""The operation of `manage.py queues purge`, and the words for its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dlqconsole.core.errors import InvalidQueue
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.queues.policy import quote
from dlqconsole.operations.kinds.purge_queue import PurgeQueue
from dlqconsole.operations.models import Operation, OperationMessage
from dlqconsole.operations.requests import service
from dlqconsole.operations.requests.preview import Preview, preview
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import QueueMessages
from dlqconsole.people.command_line import Caller


@dataclass(frozen=True, slots=True)
class PurgePreview:
    """The purge of the messages now on a queue, and their count."""

    scope: QueueMessages
    counts: Preview

    @classmethod
    def of(cls, queue: str) -> PurgePreview:
        scope = QueueMessages.now(queue)
        return cls(scope, preview(PurgeQueue.name, scope))

    @property
    def number(self) -> int:
        return self.counts.total

    def check_expected(self, number: int | None) -> None:
        """Raise InvalidQueue unless exactly so many would go; None: however many."""
        if number not in (None, self.number):
            raise InvalidQueue(
                f"The queue {quote(self.scope.queue)} holds {self.number:,} messages that a purge would"
                f" remove, not {number:,}. Nothing was purged; look again, or pause the queue first."
            )

    def request(self, who: Caller, reason: str, typed_count: int | None) -> Operation:
        """Request the operation. Raises OperationRefused."""
        count = Count(self.number, self.counts.is_least)
        operation_request = OperationRequest(
            PurgeQueue.name, self.scope, reason, seen=count, typed_count=typed_count
        )
        return service.request_operation(operation_request, actor=who.actor, is_proven=who.is_proven)


def figures(operation: Operation) -> dict[str, Any]:
    """The operation's result in numbers.

    ``status``: `awaiting` if a second person has to approve; ``returned``: dead letters back where they were;
    ``skipped``: messages that consumers took first.
    """
    letters = OperationMessage.objects.filter(operation=operation, dead_letter_id__isnull=False)
    return {
        "operation": operation.pk,
        "status": operation.status,
        "purged": operation.done,
        "returned": letters.count(),
        "skipped": operation.skipped,
        "failed": operation.failed,
        "left": operation.remaining,
    }


def sentence(operation: Operation, counts: dict[str, Any]) -> str:
    """The same in one line."""
    parts = [f"{operation.done:,} messages purged"]
    if counts["returned"]:
        parts.append(f"{counts['returned']:,} revived dead letters are back where they were")
    for name in ("skipped", "failed", "left"):
        if counts[name]:
            parts.append(f"{counts[name]:,} {name}")
    return f"{'; '.join(parts)} (operation {operation.pk})."
