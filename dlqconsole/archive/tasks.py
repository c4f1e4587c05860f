"""Celery's addresses: which function a wake-up calls."""

from dlqconsole.archive import asking
from dlqconsole.celery import app


@app.task(name="archive.ask")
def ask() -> None:
    """Ask for the archive's run when it is due: the tick."""
    asking.ask_when_due()
