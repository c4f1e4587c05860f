"""The Celery tasks of retries. Due dead letters are known from PostgreSQL alone, from no message."""

from typing import Any

from celery.signals import beat_init, worker_init, worker_shutting_down

from dlqconsole.celery import app
from dlqconsole.retries import beat_heartbeats, run, run_records, stopping


@app.task(name="retries.retry_due")
def retry_due() -> None:
    """The tick of the schedule. While one process of a worker is in a run, the others have time for ticks."""
    beat_heartbeats.note_tick()
    with stopping.one_of_this_worker() as is_first:
        if is_first:
            run_records.mark_dead_workers()
            run.run_when_due()


@worker_init.connect
def _a_worker_starts(**_signal: Any) -> None:
    stopping.forget()


@worker_shutting_down.connect
def _a_worker_stops(**_signal: Any) -> None:
    """SIGTERM reaches a worker's first process alone: its pool, where the run is, sees the byte."""
    stopping.tell()


@beat_init.connect
def _a_beat_starts(**_signal: Any) -> None:
    beat_heartbeats.BeatPresence().start()
