"""A rehearsal whose handlers run in a process of the pipeline; the worker settles the items it leaves."""

from dlqconsole.contrib.rehearsals.work import RehearsePages
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.operations.pages import on_spark
from dlqconsole.operations.pages.work import PageResult, Waits
from dlqconsole.runs.jobs.base import OperationJob
from dlqconsole.runs.models import PipelineRun


class RehearseJob(OperationJob):
    name = "rehearse"
    label = "Rehearsal"
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
