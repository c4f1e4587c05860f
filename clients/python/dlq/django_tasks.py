"""Django's tasks: whatever runs them reports each one that failed, and says so if one succeeds after all.

    dlq.init("postgresql://dlq_reporter@db/console")    # in your settings.py, or in ready() of an application

No signal tells of a task whose worker was killed, or that its worker could not import.
"""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import import_module
from typing import Any

from django.conf import settings

import dlq

from .client import log
from .failed_ids import FailedIds

# Django's own since 6.0, and the package for earlier ones
_SIGNALS = ("django.tasks.signals", "django_tasks.signals")

_failed_ids: FailedIds | None = None


def install(*, folder: str | None = None) -> None:
    """Hear what becomes of the tasks that this process runs."""
    global _failed_ids
    # Windows has no users by number, and no spool either
    _failed_ids = FailedIds(folder) if hasattr(os, "geteuid") else None
    for name in _SIGNALS:
        with contextlib.suppress(ImportError):
            import_module(name).task_finished.connect(_finished, weak=False, dispatch_uid="dlq")


def _finished(task_result: Any = None, **_: Any) -> None:
    """Report a failure. A backend calls this amid its own work, which nothing here must end."""
    try:
        if task_result.status == "FAILED":
            _report(task_result)
        elif _failed_ids is not None and task_result.id in _failed_ids:
            dlq.recovered(source=_project(), key=task_result.id)
    except Exception as problem:
        log.warning("a task of Django's is not reported: %s", problem)


def _report(result: Any) -> None:
    task, project = result.task, _project()
    dlq.report(
        _error(result),
        {"args": result.args, "kwargs": result.kwargs},
        type=task.module_path,
        source=project,
        key=result.id,
        queue=project,
        headers={
            "django_task": {
                "task": task.module_path,
                "id": result.id,
                "backend": result.backend,
                "queue": task.queue_name,
                "priority": task.priority,
                "attempts": result.attempts,
                "enqueued_at": result.enqueued_at and result.enqueued_at.isoformat(),
            }
        },
    )
    if _failed_ids is not None:
        _failed_ids.add(result.id)


def _error(result: Any) -> BaseException:
    """Return the exception that is being handled, else one that says what the result keeps of it."""
    error = sys.exc_info()[1]
    kept = result.errors[-1] if result.errors else None
    if kept is None:
        return error or RuntimeError("failed, and its backend keeps no error")
    if error and f"{type(error).__module__}.{type(error).__qualname__}" == kept.exception_class_path:
        return error
    name = kept.exception_class_path.rpartition(".")[2]
    _, begun, message = kept.traceback.rstrip().rpartition(f"{name}: ")
    restored: BaseException = type(name, (Exception,), {})(message if begun else "")
    restored.__notes__ = [kept.traceback]  # type: ignore[attr-defined]
    return restored


def _project() -> str:
    """Return the project's name at the console: that of the package which its settings are in."""
    return f"django-tasks:{settings.SETTINGS_MODULE.partition('.')[0]}"
