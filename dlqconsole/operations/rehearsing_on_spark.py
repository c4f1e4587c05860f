"""A rehearsal whose handlers run in a process of the pipeline: what that leaves is said here."""

from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.operations import spark_runs
from dlqconsole.operations.rehearsing import RehearsePages
from dlqconsole.operations.work import Page, Waits
from dlqconsole.runs.models import PipelineRun

JOB = "rehearse"


class SparkRehearsePages(RehearsePages):
    """Pages of a rehearsal on Spark: a run is asked for until one has looked at all that remains.

    Meanwhile the operation lies in nobody's hands. What has changed, or has no handler there, comes after it.
    """

    def next(self, after: int) -> Page:
        """Wait for the run, or do the next page of what it has left. Raises NotOurs."""
        if not after:
            self.waits = retry_transient(self._waits_for_run)
        return Page(None, 0) if self.waits else super().next(after)

    def _waits_for_run(self) -> Waits | None:
        last = spark_runs.last_run(self.held)
        if waits := spark_runs.waits_for(last):
            return waits
        return None if last and _has_seen_all(last) else spark_runs.ask(JOB, self.held)


def _has_seen_all(run: PipelineRun) -> bool:
    return run.status == "completed" and run.done >= run.total
