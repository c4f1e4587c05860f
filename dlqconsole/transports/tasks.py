"""Celery's addresses: which function a wake-up calls."""

from dlqconsole.celery import app
from dlqconsole.transports import lost
from dlqconsole.transports import relay as relaying


@app.task(name="transports.relay")
def relay() -> None:
    """Serve the attached queues: the tick."""
    relaying.run_once()


@app.task(name="transports.settle_lost")
def settle_lost() -> None:
    """Set back revived dead letters whose messages are nowhere: the tick."""
    lost.settle()
