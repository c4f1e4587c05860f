"""Celery's addresses: which function a wake-up calls; and a worker's word that it starts runs."""

from typing import Any

from celery.signals import worker_ready

from dlqconsole.celery import PIPELINE, app
from dlqconsole.engine import known_handlers
from dlqconsole.runs import starting


@app.task(name="runs.start")
def start() -> None:
    """Start what waits, and stay with it until it has ended."""
    starting.start_waiting()


@app.task(name="runs.look")
def look() -> None:
    """Wake a worker for what waits; mark what died: the tick."""
    starting.look()


@worker_ready.connect
def _a_worker_is_ready(sender: Any, **_signal: Any) -> None:
    """Its processes may each be with a run for hours: its first one says that it lives."""
    if PIPELINE in sender.app.amqp.queues.consume_from:
        known_handlers.presence_of_starter().start()
