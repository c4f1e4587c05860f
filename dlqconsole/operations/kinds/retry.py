"""Retry: run the handler again, here and now."""

from dlqconsole.core.lifecycle.states import HEALING, DeadLetterStatus
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations import passed
from dlqconsole.operations.kinds.base import OPEN_TABS
from dlqconsole.operations.kinds.running_handlers import RunningHandlers
from dlqconsole.operations.options import CANARY, FULL_SPEED, RATE
from dlqconsole.operations.pages.retrying import RetryPages
from dlqconsole.operations.pages.work import OperationWork
from dlqconsole.processing.inputs.sentences import stored


class Retry(RunningHandlers):
    name = "retry"
    label = _("Retry now")
    title = _("Retry")
    icon = "retrying"
    brief = _("run the handler again")
    explains = _(
        "The handler runs again for each, here and now. Items that fail again have one more"
        " try counted. Items without a handler stay as they are."
    )
    did = stored("retried")
    does = "runs the handler again, here and now"
    undone = "no: the handler has run"

    options = (RATE, *passed.OPTIONS, FULL_SPEED, CANARY)

    rank = 20
    first_on = OPEN_TABS
    on_letter = tuple(DeadLetterStatus)
    in_admin = True
    unattended = HEALING

    def pages(self, work: OperationWork) -> RetryPages:
        return RetryPages(work)
