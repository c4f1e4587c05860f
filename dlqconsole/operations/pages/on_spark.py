"""The pipeline's runs for an operation whose items a process of the pipeline works on; the replay's pages."""

from datetime import timedelta

from django.db.models.functions import Now

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages.retrying import RetryPages
from dlqconsole.operations.pages.work import OperationLease, PageResult, Waits
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.texts import one_line
from dlqconsole.runs import service
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.models import PipelineRun, RunStatus

LOOK_SECONDS = 2.0
# after a run that did nothing: meanwhile the receipt shows its reason
PAUSE_SECONDS = 60
REASON_LIMIT = 300
REPLAY = "replay"
WAITS = stored("Run {number:d} of the pipeline is to work on it: it waits for a worker.")
WORKS = stored("Run {number:d} of the pipeline works on it.")
ASKED_FOR = stored("Run {number:d} of the pipeline is to work on it.")
DID_NOTHING = stored("Run {number:d} did nothing ({why}); another is asked for in a minute.")


def last_run(lease: OperationLease) -> PipelineRun | None:
    """The newest run that the operation has requested."""
    return PipelineRun.objects.filter(operation_id=lease.id).order_by("-id").first()


def waits_for(last: PipelineRun | None) -> Waits | None:
    """The wait for the run that works on it, or for a moment after one that did nothing; None: no wait."""
    if last is None:
        return None
    if last.status == RunStatus.ASKED:
        return Waits(WAITS.format(number=last.pk), LOOK_SECONDS)
    if last.is_open:
        return Waits(WORKS.format(number=last.pk), LOOK_SECONDS)
    lately = PipelineRun.objects.filter(pk=last.pk, finished_at__gt=Now() - timedelta(seconds=PAUSE_SECONDS))
    if last.done or not lately.exists():
        return None
    why = one_line(last.message, REASON_LIMIT)
    return Waits(DID_NOTHING.format(number=last.pk, why=why), PAUSE_SECONDS)


def ask(job: str, lease: OperationLease) -> Waits:
    """Request a run of this job over the operation's items."""
    actor = Operation.objects.values_list("actor", flat=True).get(pk=lease.id)
    try:
        number = service.ask(job, {"operation": lease.id}, actor, operation_id=lease.id)
    except RunRefused as refusal:
        return Waits(str(refusal), LOOK_SECONDS)
    return Waits(ASKED_FOR.format(number=number), LOOK_SECONDS)


class ReplayPages(RetryPages):
    """Pages of a replay, whose handlers run in a process of the pipeline.

    Items that cannot be tried are settled here; as soon as one can, a run is requested. No worker leases the
    operation while the process works. After its end the remaining items are read again: those that another
    worker had meanwhile, and those that the process could not do.
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
            self.waits = retry_transient(lambda: ask(REPLAY, self.lease))
            return PageResult(None, page.settled)
        return page

    def _waits_for_run(self) -> Waits | None:
        return waits_for(last_run(self.lease))

    def _are_held(self) -> bool:
        """Tell whether a process that has ended still has claims: the next process takes them over."""
        letters = DeadLetter.objects.filter(status=DeadLetterStatus.RETRYING, operation_id=self.lease.id)
        return retry_transient(letters.exists)
