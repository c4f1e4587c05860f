"""Celery's addresses: which function a wake-up calls."""

from dlqconsole.celery import app
from dlqconsole.transports import lost, unwatched
from dlqconsole.transports import relay as relaying


@app.task(name="transports.relay")
def relay() -> None:
    """Serve the attached queues: the tick."""
    relaying.run_once()


@app.task(name="transports.settle_lost")
def settle_lost() -> None:
    """Set back revived dead letters whose messages are nowhere: the tick."""
    lost.settle()


@app.task(name="transports.look_at_dead_letter_queues")
def look_at_dead_letter_queues() -> None:
    """Look where the queues of attached systems dead-letter to, at each every ten minutes: the tick."""
    unwatched.look()
