"""Rehearse: run the handlers as they are today, keep nothing but what they would do."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.contrib.rehearsals import running
from dlqconsole.contrib.rehearsals.work import RehearsePages
from dlqconsole.core import handling
from dlqconsole.core.lifecycle.states import RETRIABLE, DeadLetterStatus
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import OPEN_TABS, Kind
from dlqconsole.operations.options import RATE, Option
from dlqconsole.operations.pages import on_spark
from dlqconsole.operations.pages.work import CountsAsChanged, OperationWork, PageResult, Waits
from dlqconsole.processing.handlers import no_handler_for
from dlqconsole.processing.inputs.fields import Switch
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.runs.jobs.base import OperationJob
from dlqconsole.runs.models import PipelineRun

# its processes wait so long for the next slice of a rehearsal
IDLE_SECONDS = 60.0
ON_SPARK = Option(
    field=Switch(
        name="on_spark",
        label=gettext_lazy("On Spark, many at once: quicker from some thousands on"),
        help="by a process of the pipeline, many at once",
    ),
    by_rule=False,
    # the page shows the time it takes then, or that it cannot
    recounts=True,
    words=lambda is_on: "on Spark" if is_on else "",
)


class Rehearse(Kind):
    name = "rehearse"
    label = gettext_lazy("Rehearse")
    icon = "rehearse"
    brief = gettext_lazy("run the handler, keep nothing but what it would do")
    explains = gettext_lazy(
        "The handler of each runs as it is today, and nothing of it is kept: no attempt, no"
        " record, no other state. The receipt says how many would succeed, and a revive can"
        " take these alone. A handler that does not say that it can be rehearsed does not run."
    )
    past = gettext_lazy("would succeed")
    failing = gettext_lazy("would fail")
    again = gettext_lazy("Rehearse the failing")
    outcome_words = {
        "done": gettext_lazy(stored("would succeed")),
        "failed": gettext_lazy(stored("would fail")),
    }
    did = stored("rehearsed")
    does = "runs the handler and keeps only what it would do"
    undone = "nothing to undo"
    done_label = gettext_lazy("Would succeed")
    failed_label = gettext_lazy("Would fail")

    takes = RETRIABLE
    counts_as_changed = CountsAsChanged.PAYLOAD
    options = (RATE, ON_SPARK)
    runs_handlers = True
    no_handler = gettext_lazy("No schedule worker has a handler for these that can be rehearsed.")
    no_handler_for_one = gettext_lazy("No schedule worker has a handler for it that can be rehearsed.")
    stopped_words = gettext_lazy("Not rehearsed for now")
    # nothing changes: no approval is needed
    counts_for_approval = False

    rank = 15
    first_on = OPEN_TABS
    on_group = True
    on_letter = (DeadLetterStatus.PENDING, DeadLetterStatus.EXHAUSTED, DeadLetterStatus.QUARANTINED)
    in_admin = True
    reasons_on_card = True

    def reconcile(self, options: dict[str, Any]) -> dict[str, Any]:
        """Refuse a rate on Spark, which could not keep it."""
        if options[ON_SPARK.name] and options[RATE.name]:
            raise OperationRefused(_("On Spark it goes as fast as it can: leave out the rate, or Spark."))
        return super().reconcile(options)

    def runs_on_spark(self, options: Mapping[str, Any]) -> bool:
        return bool(options.get(ON_SPARK.name))

    def pages(self, work: OperationWork) -> RehearsePages:
        return SparkRehearsePages(work) if self.runs_on_spark(work.lease.options) else RehearsePages(work)

    def longest_step(self) -> float:
        """The longest step: a handler takes its whole time, is killed, and runs once more alone."""
        return 2 * handling.longest_seconds()

    def can_run(self, handlers: HandlerSet) -> frozenset[str]:
        return handlers.rehearsable

    def why_not_run(self, event_type: str, handlers: HandlerSet) -> str:
        if event_type not in handlers.event_types:
            return no_handler_for(event_type)
        return _("not rehearsed: the handler of {event_type} does not say that it can be").format(
            event_type=event_type
        )

    def why_not_run_others(self, type_count: int) -> str:
        return _("nor can those of {type_count:,} other event types").format(type_count=type_count)

    def count_without_handler(self, count: Count) -> int:
        return count.unrehearsable

    def let_go(self) -> None:
        """End processes that have waited a while for the next slice of a rehearsal."""
        running.end_rehearsals(IDLE_SECONDS)


class RehearseJob(OperationJob):
    name = "rehearse"
    label = gettext_lazy("Rehearsal")
    about = "Runs the handlers of an operation's dead letters, and keeps only what they would do."


class SparkRehearsePages(RehearsePages):
    """Pages of a rehearsal on Spark: request runs until one has looked at all remaining items.

    Meanwhile no worker leases the operation. Items that have changed, or have no handler there, come after
    the run.
    """

    def next(self, after: int) -> PageResult:
        """Wait for the run, or do the next page of the items that it left. Raises NotOurs."""
        if not after:
            self.waits = retry_transient(self._waits_for_run)
        return PageResult(None, 0) if self.waits else super().next(after)

    def _waits_for_run(self) -> Waits | None:
        last = on_spark.last_run(self.lease)
        if waits := on_spark.waits_for(last):
            return waits
        return None if last and _has_seen_all(last) else on_spark.ask(RehearseJob.name, self.lease)


def _has_seen_all(run: PipelineRun) -> bool:
    return run.status == "completed" and run.done >= run.total
