"""Purge of a queue: its messages are removed, into the archive where the queue keeps one.

Messages that a consumer leases are left to it. A revived dead letter whose message is removed returns to its
former state.
"""

from dlqconsole.core import messages
from dlqconsole.core.lifecycle.states import MessageStatus
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations.items import MESSAGES
from dlqconsole.operations.kinds.base import ALWAYS, Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages.attached_purge import AttachedPurgePages
from dlqconsole.operations.pages.work import OperationLease, OperationWork, Pages
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.sentences import Sentence, stored
from dlqconsole.transports.queue_overview import is_attached


class PurgeQueue(Kind):
    name = "purge_queue"
    label = _("Purge")
    title = _("The purge of a queue")
    icon = "trash"
    tone = "danger"
    brief = _("remove the messages of a queue")
    explains = _(
        "They are taken off the queue, and this cannot be undone. Messages that a consumer"
        " holds are left to it; messages that one takes first are skipped, with the reason."
    )
    past = _("purged")
    does = "removes the messages of a queue"
    undone = "no; a queue that archives keeps them"

    items = MESSAGES
    takes = (MessageStatus.PENDING, MessageStatus.SCHEDULED, MessageStatus.WAITING, MessageStatus.HELD)
    statement = sql("purging_queue.page")
    typed_count = ALWAYS

    def refusal(self, status: str) -> str:
        return Sentence(stored("is in a consumer's hands"))

    def pages(self, work: OperationWork) -> Pages:
        """The pages that do the work; those of an attached queue ask its own system."""
        queue = Operation.objects.values_list("queue", flat=True).get(pk=work.lease.id)
        return AttachedPurgePages(work, queue) if is_attached(queue) else super().pages(work)

    def on_completed(self, lease: OperationLease) -> None:
        """Unblock messages that were sent behind a purged one meanwhile: they must not wait for ever."""
        messages.unblock_forgotten(Operation.objects.values_list("queue", flat=True).get(pk=lease.id))
