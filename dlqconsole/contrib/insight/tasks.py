"""The Celery tasks of insight."""

from dlqconsole.celery import app
from dlqconsole.contrib.insight import drift
from dlqconsole.contrib.insight.samples import keeping


@app.task(name="insight.look")
def look() -> None:
    """Look for drift in new payloads, and delete samples that are too old or too many: the tick."""
    drift.look()
    drift.tidy()
    keeping.tidy()
