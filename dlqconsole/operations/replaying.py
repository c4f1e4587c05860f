"""Replay: the handlers run in a process of the pipeline; here it is decided what that may try."""

from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations import spark_runs
from dlqconsole.operations.retrying import RetryPages
from dlqconsole.operations.work import Page, Waits

JOB = "replay"


class ReplayPages(RetryPages):
    """Pages of a replay: what cannot be tried gets its reason; as soon as something can, a run is asked for.

    The operation lies in nobody's hands while the process works. When that has ended, what remains is looked
    through again: what somebody else had meanwhile, what the process could not do.
    """

    page_rows = 2_000

    def next(self, after: int) -> Page:
        """Sort out the next page, up to the first that has something to try. Raises NotOurs."""
        if not after:
            self.waits = retry_transient(self._waits_for_run)
            if self.waits:
                return Page(None, 0)
        page, letters = retry_transient(lambda: self._open(after))
        if letters or (page.last is None and self._are_held()):
            # not all of it is looked through first: of a million that takes longer than a worker's slice
            self.waits = retry_transient(lambda: spark_runs.ask(JOB, self.held))
            return Page(None, page.settled)
        return page

    def _waits_for_run(self) -> Waits | None:
        return spark_runs.waits_for(spark_runs.last_run(self.held))

    def _are_held(self) -> bool:
        """Whether a process that has ended holds some yet: the next takes them over, at nobody's cost."""
        held = DeadLetter.objects.filter(status=DeadLetterStatus.RETRYING, operation_id=self.held.id)
        return retry_transient(held.exists)
