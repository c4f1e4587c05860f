"""The Celery tasks of operations."""

from django.conf import settings

from dlqconsole.celery import app
from dlqconsole.core import messages
from dlqconsole.core.messages.archives import forget_old_attempts, forget_old_reports
from dlqconsole.core.messages.ticks import PeriodicSender
from dlqconsole.engine.counts import rollups
from dlqconsole.operations import outcomes
from dlqconsole.operations.pages import exporting
from dlqconsole.operations.receipts.receipt import forget_old_items
from dlqconsole.operations.requests import pace, retention
from dlqconsole.operations.work import run as worker
from dlqconsole.people import visits
from dlqconsole.runs.service import forget_old_runs

# the ages at which attempts of messages without a dead letter, ids of reports, and runs of the pipeline go
ATTEMPT_DAYS, RUN_DAYS = 30, 180


@app.task(name="operations.run")
def run(operation_id: int) -> None:
    """Work on one operation for a while."""
    worker.run(operation_id)


@app.task(name="operations.take_up")
def take_up() -> None:
    """Work on operations without a lease: the tick."""
    worker.take_up()


@app.task(name="operations.keep_time")
def keep_time() -> None:
    """Fold counts, note handed-over operations that are handled, and let delayed messages come due: the tick.

    Delayed messages come due here where no consumer does it; so do the ticks of periodic handlers.
    """
    rollups.fold()
    outcomes.note_handled()
    messages.stage()
    PeriodicSender().send_due()


@app.task(name="operations.tidy")
def tidy() -> None:
    """Request the purge by retention; delete old attempts, exports, receipts, runs and visits."""
    retention.purge_expired()
    forget_old_attempts(ATTEMPT_DAYS)
    forget_old_reports(ATTEMPT_DAYS)
    exporting.forget_old()
    forget_old_items(settings.DLQ_RECEIPT_DAYS)
    pace.forget_old()
    forget_old_runs(RUN_DAYS)
    visits.forget_old()
