"""Request a run, or its end. Both only write rows: a worker starts and stops processes."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole import waking
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine import audit, known_handlers
from dlqconsole.engine.known_handlers import PIPELINE
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.runs import jobs
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.sql import sql
from dlqconsole.waking import worker_command

log = logging.getLogger(__name__)

NO_WORKER = stored("waits: no worker that starts runs has been heard of in two minutes")

# rows deleted in one commit: a few hundred runs a week are usual
PAGE = 1_000


def ask(
    kind: str, arguments: Mapping[str, Any], actor: str, *, reason: str = "", operation_id: int | None = None
) -> int:
    """Record a request for a run of this job, and wake a worker; return the run's number.

    Raises RunRefused with a sentence: wrong arguments, or one of that job waits or runs already.
    """
    job = jobs.get(kind)
    if refusal := job.why_not():
        raise RunRefused(refusal)
    job_arguments = job.read(arguments)
    values = {
        "kind": job.name,
        "subject": job.subject(job_arguments),
        "actor": actor,
        "arguments": json.dumps(job_arguments),
        "operation_id": operation_id,
        "lock": job.lock(job_arguments),
        "memory": job.memory,
    }
    with transaction.atomic():
        run_id = _insert(values)
        audit.record(
            actor,
            "start run",
            f"pipeline_run:{run_id}",
            reason=reason,
            operation_id=operation_id,
            detail={"job": job.name} | job_arguments,
        )
        transaction.on_commit(wake, robust=True)
    return run_id


def cancel(run_id: int, actor: str, reason: str = "") -> bool:
    """Ask a run to end: within seconds, in good order where it can. False when it was not open any more."""
    with transaction.atomic():
        kinds = fetch_column(sql("asked.cancel"), {"id": run_id, "actor": actor})
        if kinds:
            audit.record(
                actor, "cancel run", f"pipeline_run:{run_id}", reason=reason, detail={"job": kinds[0]}
            )
    return bool(kinds)


def newest(kind: str) -> dict[str, Any] | None:
    """The newest run of a job: ``id``, ``status``, ``message``, ``seconds`` since it began; or None."""
    return next(iter(fetch_dicts(sql("asked.newest"), {"kind": kind})), None)


def wake() -> None:
    """Wake a worker to start runs that wait. A broker that is away costs one tick, never an error."""
    try:
        waking.wake("runs.start")
    except Exception as error:
        # kombu, redis, psycopg and the operating system each have their own words for "not there"
        log.warning("a run waits for the next tick, the broker is away: %s", error)


def _insert(values: Mapping[str, Any]) -> int:
    in_the_way = fetch_dicts(sql("asked.in_the_way"), values)
    ids = [] if in_the_way else fetch_column(sql("asked.ask"), values)
    if ids:
        return int(ids[0])
    label = jobs.get(values["kind"]).label
    # None: the run that was in the way has just ended
    other = next(iter(in_the_way or fetch_dicts(sql("asked.in_the_way"), values)), None)
    if other is None:
        raise RunRefused(
            _("{label}: another one has just been asked for, and ended. Ask again.").format(label=label)
        )
    does = _("waits") if other["status"] == "asked" else _("runs")
    raise RunRefused(
        _("{label} {id} {does} already: wait for it, or cancel it first.").format(
            label=label, id=other["id"], does=does
        ),
        other["id"],
    )


def starter_command() -> str:
    """Return the command that starts one."""
    return worker_command(PIPELINE)


def why_waiting() -> str:
    """The reason why a requested run will not begin; empty: a worker is there that starts it."""
    return "" if known_handlers.serving(PIPELINE) else NO_WORKER


def starter_warning() -> str:
    """The same as a sentence for a person who is about to request a run."""
    return (
        ""
        if known_handlers.serving(PIPELINE)
        else _(
            "No worker that starts runs has been heard of in two minutes: it will wait. Start one: {command}"
        ).format(command=starter_command())
    )


def forget_old_runs(days: int) -> int:
    """Delete the runs that ended so many days ago; return their number. 0 days: delete nothing.

    The newest run of each job stays, and the newest that succeeded: they show when the job ran last.
    """
    return len(fetch_column(sql("old.forget"), {"days": days, "limit": PAGE}))
