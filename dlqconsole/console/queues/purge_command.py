"""What `manage.py queues purge` asks for, and what it says when that is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.errors import InvalidQueue
from dlqconsole.engine.queues.policy import quote
from dlqconsole.engine.reach import EVERYTHING
from dlqconsole.operations import service
from dlqconsole.operations.kinds.purge_queue import PurgeQueue
from dlqconsole.operations.models import Operation, OperationMessage
from dlqconsole.operations.preview import Preview, preview
from dlqconsole.operations.request import OperationRequest
from dlqconsole.operations.scope import QueueMessages
from dlqconsole.people.command_line import Caller


@dataclass(frozen=True, slots=True)
class Asked:
    """The purge of what stands on a queue now, and what it would take."""

    scope: QueueMessages
    found: Preview

    @classmethod
    def of(cls, queue: str) -> Asked:
        scope = QueueMessages.now(queue)
        return cls(scope, preview(PurgeQueue.name, scope, EVERYTHING))

    @property
    def number(self) -> int:
        return self.found.total

    def check_expected(self, expected: int | None) -> None:
        """Raise InvalidQueue unless exactly so many would go; None: however many."""
        if expected not in (None, self.number):
            raise InvalidQueue(
                f"The queue {quote(self.scope.queue)} holds {self.number:,} messages that a purge would"
                f" remove, not {expected:,}. Nothing was purged; look again, or pause the queue first."
            )

    def request(self, who: Caller, reason: str, typed_count: int | None) -> Operation:
        """Ask for it. Raises OperationRefused."""
        seen = Count(self.number, self.found.is_least)
        asked = OperationRequest(
            PurgeQueue.name, self.scope, reason, reach=who.reach, seen=seen, typed_count=typed_count
        )
        return service.request_operation(asked, actor=who.actor, is_proven=who.is_proven)


def figures(operation: Operation) -> dict[str, Any]:
    """What the operation came to.

    ``status``: `awaiting` where a second person has to approve; ``returned``: dead letters back where they
    were; ``skipped``: what consumers were faster with.
    """
    returned = OperationMessage.objects.filter(operation=operation, dead_letter_id__isnull=False)
    return {
        "operation": operation.pk,
        "status": operation.status,
        "purged": operation.done,
        "returned": returned.count(),
        "skipped": operation.skipped,
        "failed": operation.failed,
        "left": operation.remaining,
    }


def sentence(operation: Operation, found: dict[str, Any]) -> str:
    """The same in one line."""
    parts = [f"{operation.done:,} messages purged"]
    if found["returned"]:
        parts.append(f"{found['returned']:,} revived dead letters are back where they were")
    for name in ("skipped", "failed", "left"):
        if found[name]:
            parts.append(f"{found[name]:,} {name}")
    return f"{'; '.join(parts)} (operation {operation.pk})."
