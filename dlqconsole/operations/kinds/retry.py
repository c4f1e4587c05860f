"""Retry: run the handler again, here and now."""

from dlqconsole.engine import handling
from dlqconsole.engine.dead_letters import claims as dead_letters
from dlqconsole.engine.lifecycle.states import HEALING, RETRIABLE, DeadLetterStatus
from dlqconsole.operations.common_options import CANARY, FULL_SPEED, RATE
from dlqconsole.operations.fate import Fate
from dlqconsole.operations.kinds.base import OPEN_TABS, Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.predictions import REHEARSAL
from dlqconsole.operations.retrying import RetryPages
from dlqconsole.operations.work import Work


class Retry(Kind):
    name = "retry"
    label = "Retry now"
    title = "Retry"
    icon = "retrying"
    brief = "run the handler again"
    explains = (
        "The handler runs again for each, here and now."
        " What fails again comes back with one more try counted. What has no handler stays as it is."
    )
    past = "succeeded"
    did = "retried"
    does = "runs the handler again, here and now"
    undone = "no: the handler has run"

    takes = RETRIABLE
    options = (RATE, REHEARSAL, FULL_SPEED, CANARY)
    runs_handlers = True
    stopped_words = "Waits for now"
    follows_pace = True

    rank = 20
    first_on = OPEN_TABS
    on_group = True
    on_letter = tuple(DeadLetterStatus)
    in_admin = True
    unattended = HEALING

    def pages(self, work: Work) -> RetryPages:
        return RetryPages(work)

    def longest_step(self) -> float:
        """A handler may take its whole time, and be killed after it, while nobody extends the lease."""
        return handling.longest_seconds()

    def before_rest(self) -> None:
        """A worker that died has left some RETRYING."""
        dead_letters.reclaim()

    def fate(self, operation: Operation) -> Fate:
        """The handler ran at once: what failed came back."""
        return self.became(operation.pk, operation.done, operation.failed)
