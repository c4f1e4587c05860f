"""Replay: the handlers run in a process of the pipeline; the worker decides on the items that it may try."""

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations import spark_runs
from dlqconsole.operations.retrying import RetryPages
from dlqconsole.operations.work import PageResult, Waits

JOB = "replay"


class ReplayPages(RetryPages):
    """Pages of a replay: settle items that cannot be tried; as soon as one can, request a run.

    No worker leases the operation while the process works. After its end the remaining items are read again:
    those that another worker had meanwhile, and those that the process could not do.
    """

    page_rows = 2_000

    def next(self, after: int) -> PageResult:
        """Settle the next page, up to the first item that can be tried. Raises NotOurs."""
        if not after:
            self.waits = retry_transient(self._waits_for_run)
            if self.waits:
                return PageResult(None, 0)
        page, letters = retry_transient(lambda: self._open(after))
        if letters or (page.last is None and self._are_held()):
            # without reading all items first: for a million that takes longer than a worker's slice
            self.waits = retry_transient(lambda: spark_runs.ask(JOB, self.lease))
            return PageResult(None, page.settled)
        return page

    def _waits_for_run(self) -> Waits | None:
        return spark_runs.waits_for(spark_runs.last_run(self.lease))

    def _are_held(self) -> bool:
        """Tell whether a process that has ended still has claims: the next process takes them over."""
        letters = DeadLetter.objects.filter(status=DeadLetterStatus.RETRYING, operation_id=self.lease.id)
        return retry_transient(letters.exists)
