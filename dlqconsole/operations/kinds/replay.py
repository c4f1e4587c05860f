"""Replay: run the handlers on Spark, many at once."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import claims as dead_letters
from dlqconsole.core.lifecycle.states import RETRIABLE
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations import passed
from dlqconsole.operations.kinds.base import OPEN_TABS, Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import FULL_SPEED
from dlqconsole.operations.outcomes import MoveOutcomes
from dlqconsole.operations.pages.on_spark import ReplayPages
from dlqconsole.operations.pages.work import OperationWork
from dlqconsole.processing.inputs.sentences import stored


class Replay(Kind):
    name = "replay"
    label = _("Replay on Spark")
    title = _("Replay")
    icon = "pipeline"
    brief = _("run the handlers on Spark, many at once")
    explains = _(
        "A process of the pipeline runs their handlers, many at once, and settles each."
        " Quicker than a retry from some thousands on. Items that fail again have one more"
        " try counted. Items without a handler stay as they are."
    )
    past = _("succeeded")
    done_label = _("Succeeded")
    failed_label = _("Failed again")
    did = stored("replayed")
    does = "runs the handlers on Spark, many at once"
    undone = "no: the handlers have run"

    takes = RETRIABLE
    options = (*passed.OPTIONS, FULL_SPEED)
    runs_handlers = True
    follows_pace = True
    paces_itself = True
    stopped_words = _("Waits for now")

    rank = 25
    more_on = OPEN_TABS
    on_group = True

    def runs_on_spark(self, options: Mapping[str, Any]) -> bool:
        return True

    def pages(self, work: OperationWork) -> ReplayPages:
        return ReplayPages(work)

    def longest_step(self) -> float:
        """The longest step: a handler takes its whole time and is killed, and nobody extends the lease."""
        return handling.longest_seconds()

    def before_rest(self) -> None:
        """Reclaim dead letters that a worker which died has left RETRYING."""
        dead_letters.reclaim()

    def move_outcomes(self, operation: Operation) -> MoveOutcomes:
        """The outcomes, known at once: those that failed have failed again."""
        return self.outcomes_so_far(operation.pk, operation.done, operation.failed)
