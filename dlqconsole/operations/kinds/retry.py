"""Retry: run the handler again, here and now."""

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import claims as dead_letters
from dlqconsole.core.lifecycle.states import HEALING, RETRIABLE, DeadLetterStatus
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations import passed
from dlqconsole.operations.kinds.base import OPEN_TABS, Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import CANARY, FULL_SPEED, RATE
from dlqconsole.operations.outcomes import MoveOutcomes
from dlqconsole.operations.pages.retrying import RetryPages
from dlqconsole.operations.pages.work import OperationWork
from dlqconsole.processing.inputs.sentences import stored


class Retry(Kind):
    name = "retry"
    label = _("Retry now")
    title = _("Retry")
    icon = "retrying"
    brief = _("run the handler again")
    explains = _(
        "The handler runs again for each, here and now. Items that fail again have one more"
        " try counted. Items without a handler stay as they are."
    )
    past = _("succeeded")
    done_label = _("Succeeded")
    failed_label = _("Failed again")
    did = stored("retried")
    does = "runs the handler again, here and now"
    undone = "no: the handler has run"

    takes = RETRIABLE
    options = (RATE, *passed.OPTIONS, FULL_SPEED, CANARY)
    runs_handlers = True
    stopped_words = _("Waits for now")
    follows_pace = True

    rank = 20
    first_on = OPEN_TABS
    on_group = True
    on_letter = tuple(DeadLetterStatus)
    in_admin = True
    unattended = HEALING

    def pages(self, work: OperationWork) -> RetryPages:
        return RetryPages(work)

    def longest_step(self) -> float:
        """The longest step: a handler takes its whole time and is killed, and nobody extends the lease."""
        return handling.longest_seconds()

    def before_rest(self) -> None:
        """Reclaim dead letters that a worker which died has left RETRYING."""
        dead_letters.reclaim()

    def move_outcomes(self, operation: Operation) -> MoveOutcomes:
        """The outcomes, known at once: those that failed have failed again."""
        return self.outcomes_so_far(operation.pk, operation.done, operation.failed)
