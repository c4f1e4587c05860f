"""Celery's addresses: which function a wake-up calls."""

from dlqconsole.celery import app
from dlqconsole.engine.samples import keeping
from dlqconsole.insight import drift


@app.task(name="insight.look")
def look() -> None:
    """Look for drift in what has come, and let go of samples that are too old or too many: the tick."""
    drift.look()
    drift.tidy()
    keeping.tidy()
