"""The Celery tasks of runs."""

from dlqconsole.celery import app
from dlqconsole.runs import starting


@app.task(name="runs.start")
def start() -> None:
    """Start the runs that wait, and watch each until it has ended."""
    starting.start_waiting()


@app.task(name="runs.look")
def look() -> None:
    """Wake a worker for runs that wait; mark runs that died: the tick."""
    starting.look()
