"""Celery's addresses: which function a wake-up calls."""

from dlqconsole.celery import app
from dlqconsole.contrib.playbooks import tick as ticks


@app.task(name="playbooks.tick")
def tick() -> None:
    """Look at each playbook."""
    ticks.tick()
