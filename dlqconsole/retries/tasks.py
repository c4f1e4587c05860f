"""Celery's addresses: which function a wake-up calls."""

from dlqconsole.celery import app
from dlqconsole.retries import run


@app.task(name="retries.retry_due")
def retry_due() -> None:
    """The tick of the schedule."""
    run.run_when_due()
