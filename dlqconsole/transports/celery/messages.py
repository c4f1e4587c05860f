"""A dead letter as the message of its task: the same id, arguments and headers, for its queue of origin.

What the task was is in the header ``celery``, as the client ``dlq`` reported it. The id stays: what waits for
the task's result or counts a chord's parts knows it by that.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.core.errors import InvalidMessage
from dlqconsole.transports.sending import sendable_call, sendable_headers

TASK = "celery"
PLAIN, TYPED = "application/json", "application/x-dlq+json"
# what Celery itself calls the parts of a message, version 2 of its protocol
_EMBEDDED = ("callbacks", "errbacks", "chain", "chord")
_HEADERS = (
    *("task", "id", "lang", "root_id", "parent_id", "group", "group_index", "shadow", "timelimit", "origin"),
    *("ignore_result", "replaced_task_nesting", "stamped_headers", "stamps"),
)
# what a revive adds for those whose events have no name of their own
_NOT_THEIRS = (TASK, "ce_type", "ce_source", "ce_id")


@dataclass(frozen=True, slots=True)
class TaskMessage:
    """A message of a task. ``properties`` are those of kombu's ``publish``."""

    id: str
    queue: str
    body: str
    headers: dict[str, Any]
    properties: dict[str, Any]


def task_message(payload: bytes | str, headers: Mapping[str, Any]) -> TaskMessage:
    """Return the message that runs the task again. Raises InvalidMessage, with what to do."""
    task = headers.get(TASK)
    if not isinstance(task, Mapping) or not all(isinstance(task.get(name), str) for name in ("task", "id")):
        raise InvalidMessage("It is no task: only what a Celery worker reported can be sent to one.")
    queue = task.get("queue")
    if not isinstance(queue, str) or not queue:
        raise InvalidMessage("Its worker could not tell which queue the task came from.")
    sendable_headers(headers)
    event = sendable_call(payload)
    typed = list(_typed(event, ""))
    for path, lost in typed:
        if lost:
            raise InvalidMessage(
                f"It cannot be revived here: {path} was a {lost}, which could not be kept. Edit it first."
            )
    embedded = {name: event.get(name) for name in _EMBEDDED}
    return TaskMessage(
        id=task["id"],
        queue=queue,
        body=json.dumps([event["args"], event["kwargs"], embedded]),
        headers={name: value for name, value in headers.items() if name not in _NOT_THEIRS}
        | {name: task[name] for name in _HEADERS if name in task}
        # its tries begin anew
        | {"retries": 0, "eta": None, "expires": None},
        properties={
            "content_type": TYPED if typed or task.get("content_type") == TYPED else PLAIN,
            "content_encoding": "utf-8",
            "correlation_id": task["id"],
            "reply_to": task.get("reply_to") or "",
            "priority": task.get("priority") or 0,
            "delivery_mode": 2,
        },
    )


def _typed(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Find the values that the client marked with their type, with the class of what it could not keep."""
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _typed(item, f"{path}/{place}")
    elif isinstance(value, dict):
        if "$type" in value:
            lost = value["$type"] == "unknown"
            yield path, str(value.get("class") or "value of a class of its own") if lost else ""
        for name, item in value.items():
            yield from _typed(item, f"{path}/{name}")
