"""The Celery tasks of playbooks."""

from dlqconsole.celery import app
from dlqconsole.contrib.playbooks import tick as ticks


@app.task(name="playbooks.tick")
def tick() -> None:
    """Look at each playbook: the tick."""
    ticks.tick()
