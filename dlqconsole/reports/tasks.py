"""Celery's addresses: which function a wake-up calls."""

from dlqconsole.celery import app
from dlqconsole.reports import schedule


@app.task(name="reports.daily")
def daily() -> None:
    """Add up which days changed; ask for the daily report when it is time: the tick."""
    schedule.tick()
