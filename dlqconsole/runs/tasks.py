"""Celery's addresses: which function a wake-up calls."""

from dlqconsole.celery import app
from dlqconsole.runs import starting


@app.task(name="runs.start")
def start() -> None:
    """Start what waits, and stay with it until it has ended."""
    starting.start_waiting()


@app.task(name="runs.look")
def look() -> None:
    """Wake a worker for what waits; mark what died: the tick."""
    starting.look()
