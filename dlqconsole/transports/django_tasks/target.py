"""The project's tasks, as far as they are a queue: they are enqueued, and the project's workers run them."""

import json
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, ClassVar

from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now
from django.db.transaction import atomic

from dlqconsole.core.errors import EngineError, InvalidMessage
from dlqconsole.core.transient_errors import sentence
from dlqconsole.transports.django_tasks import project
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.sending import sendable_call, sendable_delay, sendable_headers
from dlqconsole.transports.target import QueueMetrics, Target

TASK = "django_task"
_ROUTING = {"backend": "backend", "queue": "queue_name", "priority": "priority"}


class DjangoTasks(Target):
    """Enqueues tasks by Django's own words: ``task.using(…).enqueue(…)``."""

    prefix = "django-tasks"
    # what the relay has not noted is never enqueued: that commits after the note
    deduplicates = True
    takes_bytes = True
    not_claimed: ClassVar[str] = "The project's own workers run its tasks; the console enqueues them only."

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, Any] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Enqueue one task, with its arguments, backend, queue and priority. Return its new id.

        Raises InvalidMessage, UnknownQueue, TransportUnavailable.
        """
        project.require(queue)
        if sendable_delay(delay_seconds):
            raise InvalidMessage("A task is enqueued at once: nothing holds it back.")
        sendable_headers(headers)
        task = _task((headers or {}).get(TASK))
        call = _decoded(sendable_call(payload))
        try:
            with atomic(using=project.database()):
                return str(task.enqueue(*call["args"], **call["kwargs"]).id)
        except (OperationalError, InterfaceError) as error:
            raise TransportUnavailable(f"The task could not be enqueued: {sentence(error)}.") from error
        except Exception as error:  # its arguments may have been edited, and their words may hold them
            raise InvalidMessage(f"It cannot be enqueued: {type(error).__name__}.") from None

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return the ids of those that have not ended."""
        ended = project.results().objects.finished().filter(pk__in=ids).values_list("pk", flat=True)
        return set(ids) - {str(each) for each in ended}

    def why_never(self, queue: str) -> str:
        """Return why the task is none of this project's, if it is not."""
        try:
            project.require(queue)
        except EngineError as error:
            return str(error)
        return ""

    def metrics(self, queue: str) -> QueueMetrics:
        """Count the tasks that wait. Those that run have no index, so they are not counted."""
        project.require(queue)
        waiting = project.results().objects.filter(status="READY")
        scheduled = waiting.filter(run_after__gt=Now(), run_after__year__lt=9999).count()
        return QueueMetrics(queue, waiting.count() - scheduled, 0, scheduled, None, at_least=("in_flight",))


def _decoded(call: dict[str, Any]) -> Any:
    """Return the call with what JSON has not, such as NUL and NaN: the project's client has marked it."""
    if '"$type"' not in json.dumps(call):
        return call
    try:
        return import_module("dlq").decode(call)
    except (ImportError, ValueError) as error:
        raise InvalidMessage(f"It cannot be revived here: {error}.") from None


def _task(given: Any) -> Any:
    if not isinstance(given, Mapping) or not isinstance(given.get("task"), str):
        raise InvalidMessage("It is no task: only what Django's tasks reported can be enqueued.")
    task = project.task(given["task"])
    routing = {theirs: given[ours] for ours, theirs in _ROUTING.items() if given.get(ours) is not None}
    try:
        task = task.using(**routing)
        backend = type(task.get_backend())
    except Exception as error:  # their backend says no, in its words
        raise InvalidMessage(f"It cannot be revived here: {str(error).rstrip('.')}.") from None
    if not any(each.__module__.startswith(project.BACKEND) for each in backend.__mro__):
        raise InvalidMessage(
            f"It cannot be revived here: its backend is {backend.__name__}, and only one of {project.BACKEND}"
            " enqueues within a transaction and tells what becomes of it."
        )
    return task
