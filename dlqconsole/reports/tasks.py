"""The Celery tasks of reports."""

from dlqconsole.celery import app
from dlqconsole.reports import schedule


@app.task(name="reports.daily")
def daily() -> None:
    """Add up the days that changed; request the daily report when it is time: the tick."""
    schedule.tick()
