"""Ask for a run, or for its end. Both only write rows: a worker starts and stops processes."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from dlqconsole.engine import audit
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.runs import jobs
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.sql import sql

log = logging.getLogger(__name__)

# a message that is older is worth nothing: the tick has long found the run
EXPIRES_SECONDS = 60


def ask(
    kind: str, arguments: Mapping[str, Any], actor: str, *, reason: str = "", operation_id: int | None = None
) -> int:
    """Record that somebody wants a run of this job, and wake a worker; the run's number.

    Raises RunRefused with a sentence: wrong arguments, or one of that job waits or runs already.
    """
    job = jobs.get(kind)
    if refusal := job.why_not():
        raise RunRefused(refusal)
    read = job.read(arguments)
    values = {
        "kind": job.name,
        "subject": job.subject(read),
        "actor": actor,
        "arguments": json.dumps(read),
        "operation_id": operation_id,
        "lock": job.lock(read),
        "memory": job.memory,
    }
    with transaction.atomic():
        run_id = _asked(values)
        audit.record(
            actor,
            "start run",
            f"pipeline_run:{run_id}",
            reason=reason,
            operation_id=operation_id,
            detail={"job": job.name} | read,
        )
        transaction.on_commit(wake, robust=True)
    return run_id


def cancel(run_id: int, actor: str, reason: str = "") -> bool:
    """Make it end: within seconds, in good order where it can. False when there was nothing left to end."""
    with transaction.atomic():
        found = fetch_column(sql("asked.cancel"), {"id": run_id, "actor": actor})
        if found:
            audit.record(
                actor, "cancel run", f"pipeline_run:{run_id}", reason=reason, detail={"job": found[0]}
            )
    return bool(found)


def wake() -> None:
    """Ask a worker to look what waits. A broker that is away costs one tick, never an error."""
    # a tenth of what a command's start takes, and most commands wake nobody
    from dlqconsole.celery import app

    try:
        app.send_task("runs.start", expires=EXPIRES_SECONDS)
    except Exception as error:
        # kombu, redis and the operating system each have their own words for "not there"
        log.warning("a run waits for the next tick, the broker is away: %s", error)


def _asked(values: Mapping[str, Any]) -> int:
    in_the_way = fetch_dicts(sql("asked.in_the_way"), values)
    found = [] if in_the_way else fetch_column(sql("asked.ask"), values)
    if found:
        return int(found[0])
    label = jobs.get(values["kind"]).label
    # None: what was in the way a moment ago has just ended
    other = next(iter(in_the_way or fetch_dicts(sql("asked.in_the_way"), values)), None)
    if other is None:
        raise RunRefused(f"{label}: another one has just been asked for, and ended. Ask again.")
    does = "waits" if other["status"] == "asked" else "runs"
    raise RunRefused(f"{label} {other['id']} {does} already: wait for it, or cancel it first.", other["id"])
