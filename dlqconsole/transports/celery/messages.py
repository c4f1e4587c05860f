"""A dead letter as the message of its task, with the same id, arguments and headers; and its publication.

What the task was is in the header ``celery``, as the client ``dlq`` reported it. The id stays: what waits for
the task's result or counts a chord's parts knows it by that. The message goes to its queue of origin alone.
"""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from kombu.connection import Connection
from kombu.exceptions import KombuError

from dlqconsole.core.errors import InvalidMessage
from dlqconsole.transports.errors import TransportUnavailable
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
# the relay holds rows of ours locked meanwhile
ANSWER_SECONDS, CONNECT_SECONDS = 15.0, 5.0
_OPTIONS: dict[str, dict[str, Any]] = {
    "redis": {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": CONNECT_SECONDS},
    "amqp": {"confirm_publish": True, "read_timeout": ANSWER_SECONDS, "write_timeout": ANSWER_SECONDS},
}
_ONE_AT_A_TIME = threading.RLock()


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


def publish(name: str, url: str, message: TaskMessage) -> None:
    """Publish to the queue itself, past every exchange: what failed in one place goes to no other.

    Raises InvalidMessage where the queue is gone, TransportUnavailable: then nobody knows whether it arrived.
    """
    with _ONE_AT_A_TIME:
        connection = _connected(name, url)
        try:
            with connection.channel() as channel:
                _require_queue(connection, channel, message.queue)
                connection.Producer(channel).publish(
                    message.body,
                    exchange="",
                    routing_key=message.queue,
                    headers=message.headers,
                    **message.properties,
                )
        except (*connection.connection_errors, *connection.channel_errors, KombuError, OSError) as error:
            connection.close()
            raise TransportUnavailable(
                f"The broker of {name} did not take a task: {_words(error)}."
            ) from None


def check(name: str, url: str) -> None:
    """Raises TransportUnavailable while the broker does not answer."""
    with _ONE_AT_A_TIME:
        _connected(name, url)


def _connected(name: str, url: str) -> Connection:
    try:
        connection = _connection(os.getpid(), url)
        connection.ensure_connection(
            max_retries=1, interval_start=0, interval_step=0, timeout=CONNECT_SECONDS
        )
    # whatever it is: the URL is the operator's, and so is the library that it names
    except Exception as error:
        _connection.cache_clear()
        raise TransportUnavailable(
            f"The broker of {name} does not answer: {_words(error)}. See that it runs and that"
            " DLQ_CELERY_BROKERS is right."
        ) from None
    return connection


@cache
def _connection(_process: int, url: str) -> Connection:
    """Return the process's own connection: after a fork the parent's is not ours to use."""
    scheme = url.partition("://")[0].removesuffix("s")
    return Connection(url, connect_timeout=CONNECT_SECONDS, transport_options=_OPTIONS.get(scheme, {}))


def _require_queue(connection: Connection, channel: Any, queue: str) -> None:
    """Raise InvalidMessage where the queue is gone: RabbitMQ takes a message for no queue, and drops it.

    In Redis a queue without messages is no key, and any can be sent to.
    """
    if connection.transport.driver_type != "amqp":
        return
    try:
        channel.queue_declare(queue, passive=True)
    except connection.channel_errors as error:
        raise InvalidMessage(f"Its queue of origin, {queue!r}, is not there: {_words(error)}.") from None


def _words(error: BaseException) -> str:
    """Return the error's words; they hold no password: kombu says host and port."""
    return (str(error).strip().rstrip(".") or type(error).__name__)[:300]
