"""The Celery tasks of the archive."""

from dlqconsole.celery import app
from dlqconsole.contrib.archive import schedule


@app.task(name="archive.ask")
def ask() -> None:
    """Request the archive's run when it is due: the tick."""
    schedule.request_when_due()
