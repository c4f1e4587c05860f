"""Replay: run the handlers on Spark, many at once."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations import passed
from dlqconsole.operations.kinds.base import OPEN_TABS
from dlqconsole.operations.kinds.running_handlers import RunningHandlers
from dlqconsole.operations.options import FULL_SPEED
from dlqconsole.operations.pages.on_spark import ReplayPages
from dlqconsole.operations.pages.work import OperationWork
from dlqconsole.processing.inputs.sentences import stored


class Replay(RunningHandlers):
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
    did = stored("replayed")
    does = "runs the handlers on Spark, many at once"
    undone = "no: the handlers have run"

    options = (*passed.OPTIONS, FULL_SPEED)
    paces_itself = True

    rank = 25
    more_on = OPEN_TABS

    def runs_on_spark(self, options: Mapping[str, Any]) -> bool:
        return True

    def pages(self, work: OperationWork) -> ReplayPages:
        return ReplayPages(work)
