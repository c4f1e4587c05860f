"""Celery's tasks before the flood gate: in an outage they wait in their queue, and nothing asks what is away.

    dlq.init("postgresql://…", flood_gate=True)     # all tasks but those of @app.task(flood_gate=False)

A task is put off before it runs, and one that fails in the outage runs again, as by `retry`: with the same
id, chain, chord and headers, but its own retries are not used up.
"""

from __future__ import annotations

import functools
import logging
from typing import Any

from celery import signals
from celery.app.task import Context
from celery.exceptions import Ignore, Reject, Retry

from . import gating

# a task that was put off says so
WAITED = "x-dlq-waited"
# Seconds until it asks again. It lies in a worker then: a broker that lends it, as Redis does for an hour,
# gives it to another one afterwards.
_LONGEST, _LEASE = 900.0, 3600.0

log = logging.getLogger("dlq")
_all_tasks = False


def install(all_tasks: bool) -> None:
    """Have the tasks of this process's worker ask, when it starts."""
    global _all_tasks
    _all_tasks = all_tasks
    signals.worker_init.connect(_gate_tasks, weak=False, dispatch_uid="dlq._gate_tasks")


class Waits(Exception):
    """A task was put off because what it needs is away."""


def _gate_tasks(sender: Any = None, **_: Any) -> None:
    for task in sender.app.tasks.values():
        if not task.name.startswith("celery.") and getattr(task, "flood_gate", _all_tasks):
            _gate_task(task)


def _gate_task(task: Any) -> None:
    """Wrap what the task runs, as Celery's own `autoretry_for` does."""
    run = task.run
    if hasattr(run, "__dlq_gated__"):
        return

    @functools.wraps(run)
    def gated(*args: Any, **kwargs: Any) -> Any:
        request = task.request
        gate = gating.current()
        # called by other code, or by itself
        if gate is None or request.called_directly or request.is_eager or hasattr(request, "dlq_gated"):
            return run(*args, **kwargs)
        request.dlq_gated = True
        waited = WAITED in (request.headers or ())
        _put_off(task, request, gate.ask(task.name, waited=waited))
        try:
            result = run(*args, **kwargs)
        except Retry as retry:
            if retry.exc is not None:
                gate.failed(task.name, retry.exc, waited=True, decides=request.retries == 0)
            raise
        except (Ignore, Reject):
            raise
        except Exception as error:
            if not isinstance(error, tuple(task.throws or ())):
                _put_off(task, request, gate.failed(task.name, error, waited=waited), error)
            raise
        gate.succeeded(task.name)
        return result

    gated.__dlq_gated__ = True  # type: ignore[attr-defined]
    task.run = gated


def _put_off(task: Any, request: Context, seconds: float, error: Exception | None = None) -> None:
    """Send the task to its queue for later, and end this run; if it cannot be sent, let it go on."""
    if not seconds:
        return
    lease = (task.app.conf.broker_transport_options or {}).get("visibility_timeout") or _LEASE
    seconds = min(seconds, _LONGEST, lease / 4)
    headers = {**(request.headers or {}), WAITED: 1}
    try:
        task.signature_from_request(
            request, countdown=seconds, retries=request.retries, headers=headers
        ).apply_async()
    except Exception as problem:
        log.warning("%s cannot be put off: %s", task.name, problem)
        return
    why = error or Waits(f"{task.name} waits for what it needs")
    raise Retry(exc=why, when=round(seconds, 3)) from error
