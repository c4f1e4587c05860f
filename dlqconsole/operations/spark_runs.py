"""The pipeline's runs for an operation whose items a process of the pipeline works on."""

from datetime import timedelta

from django.db.models.functions import Now

from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import OperationLease, Waits
from dlqconsole.processing.texts import one_line
from dlqconsole.runs import service
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.models import PipelineRun, RunStatus

LOOK_SECONDS = 2.0
# after a run that did nothing: meanwhile the receipt shows its reason
PAUSE_SECONDS = 60
REASON_LIMIT = 300


def last_run(lease: OperationLease) -> PipelineRun | None:
    """The newest run that the operation has requested."""
    return PipelineRun.objects.filter(operation_id=lease.id).order_by("-id").first()


def waits_for(last: PipelineRun | None) -> Waits | None:
    """The wait for the run that works on it, or for a moment after one that did nothing; None: no wait."""
    if last is None:
        return None
    if last.status == RunStatus.ASKED:
        return Waits(f"Run {last.pk} of the pipeline is to work on it: it waits for a worker.", LOOK_SECONDS)
    if last.is_open:
        return Waits(f"Run {last.pk} of the pipeline works on it.", LOOK_SECONDS)
    lately = PipelineRun.objects.filter(pk=last.pk, finished_at__gt=Now() - timedelta(seconds=PAUSE_SECONDS))
    if last.done or not lately.exists():
        return None
    why = one_line(last.message, REASON_LIMIT)
    return Waits(f"Run {last.pk} did nothing ({why}); another is asked for in a minute.", PAUSE_SECONDS)


def ask(job: str, lease: OperationLease) -> Waits:
    """Request a run of this job over the operation's items."""
    actor = Operation.objects.values_list("actor", flat=True).get(pk=lease.id)
    try:
        number = service.ask(job, {"operation": lease.id}, actor, operation_id=lease.id)
    except RunRefused as refusal:
        return Waits(str(refusal), LOOK_SECONDS)
    return Waits(f"Run {number} of the pipeline is to work on it.", LOOK_SECONDS)
