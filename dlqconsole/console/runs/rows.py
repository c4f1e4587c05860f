"""A run for people: its progress, its remaining time, its counts, and its end."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from dlqconsole.console.parts.tables import pipeline_row
from dlqconsole.people.names import named
from dlqconsole.processing.durations import duration_in_two
from dlqconsole.runs import jobs
from dlqconsole.runs.models import PipelineRun

# before that, its rate says nothing
_FIRST_SECONDS = 3.0


def run_page(run: PipelineRun) -> dict[str, Any]:
    """The context of the page of one run."""
    job = jobs.find(run.kind)
    row = pipeline_row(run)
    return row | {
        "label": job.label if job else run.kind.capitalize(),
        "asked_by": named(run.asked_by),
        "cancelled_by": named(run.cancelled_by),
        "asked_at": run.asked_at,
        "operation_id": run.operation_id,
        "is_open": run.is_open,
        "can_cancel": run.status in ("asked", "running"),
        "heartbeat_at": run.heartbeat_at,
        "finished_at": run.finished_at,
        "exit_status": run.exit_status,
        "process": f"{run.pid} on {run.host}" if run.pid else "",
        "figures": [(_words(name), n) for name, n in run.counts.items() if isinstance(n, int)],
        "log": run.log,
        "live": 2 if run.is_open else 0,
        "spoken": f"{row['percent'] // 10 * 10} percent" if row["is_live"] and run.total else "",
        **_pace(run, is_live=row["is_live"]),
    }


def _pace(run: PipelineRun, *, is_live: bool) -> dict[str, str]:
    """Its rate since it began, and the remaining time at that rate."""
    end = run.finished_at or timezone.now()
    seconds = (end - run.started_at) / timedelta(seconds=1)
    if not run.done or seconds < _FIRST_SECONDS:
        return {"rate": "", "eta": ""}
    rate = run.done / seconds
    remaining = run.total - run.done
    eta = duration_in_two(remaining / rate) if is_live and remaining > 0 else ""
    return {"rate": f"{rate:,.0f} {run.unit} a second", "eta": eta}


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
