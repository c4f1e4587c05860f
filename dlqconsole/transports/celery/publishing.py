"""Publish a task's message to its queue alone, and wait until the broker has it."""

import os
import threading
from functools import cache
from typing import Any

from kombu.connection import Connection
from kombu.exceptions import KombuError

from dlqconsole.core.errors import InvalidMessage
from dlqconsole.transports.celery.messages import TaskMessage
from dlqconsole.transports.errors import TransportUnavailable

# the relay holds rows of ours locked meanwhile
ANSWER_SECONDS, CONNECT_SECONDS = 15.0, 5.0
_OPTIONS: dict[str, dict[str, Any]] = {
    "redis": {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": CONNECT_SECONDS},
    "amqp": {"confirm_publish": True, "read_timeout": ANSWER_SECONDS, "write_timeout": ANSWER_SECONDS},
}
_ONE_AT_A_TIME = threading.RLock()


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
