"""The part that kinds share which run handlers and settle dead letters at once: retry and replay."""

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import claims as dead_letters
from dlqconsole.core.lifecycle.states import RETRIABLE
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.outcomes import MoveOutcomes


class RunningHandlers(Kind):
    """A kind that runs the handlers of its dead letters. Those that fail have failed again."""

    past = _("succeeded")
    done_label = _("Succeeded")
    failed_label = _("Failed again")

    takes = RETRIABLE
    runs_handlers = True
    stopped_words = _("Waits for now")
    follows_pace = True

    on_group = True

    def longest_step(self) -> float:
        """The longest step: a handler takes its whole time and is killed, and nobody extends the lease."""
        return handling.longest_seconds()

    def before_rest(self) -> None:
        """Reclaim dead letters that a worker which died has left RETRYING."""
        dead_letters.reclaim()

    def move_outcomes(self, operation: Operation) -> MoveOutcomes:
        """The outcomes, known at once: those that failed have failed again."""
        return self.outcomes_so_far(operation.pk, operation.done, operation.failed)
