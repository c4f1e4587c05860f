"""Connections to RabbitMQ: one a thread, opened when needed. Errors become sentences."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import amqp
from amqp import exceptions as errors

from dlqconsole.configuration.addresses import RabbitmqAddress
from dlqconsole.core.errors import EngineError, InvalidMessage, UnknownQueue
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.rabbitmq.salvage import frame_reader

CONNECT_SECONDS = 5.0
# the whole of one answer: the relay holds rows of ours locked meanwhile
ANSWER_SECONDS = 15.0
# No heartbeats: nobody would send them between two rounds. What was idle for longer may be dead by now.
IDLE_SECONDS = 20.0


class Connections:
    """A channel for each thread, in confirm mode. ``returned`` of a channel: what found no queue."""

    def __init__(self, address: RabbitmqAddress) -> None:
        self._address, self._local = address, threading.local()

    @contextmanager
    def channel(self) -> Iterator[Any]:
        """Yield this thread's channel. After any error it is closed: what it had fetched returns."""
        try:
            yield self._channel()
            self._local.used_at = time.monotonic()
        except BaseException as error:
            self.close()
            if isinstance(error, (errors.AMQPError, OSError)):
                raise self._explain(error) from None
            raise

    def close(self) -> None:
        """Close this thread's connection, if it is this process's own."""
        connection = vars(self._local).pop("connection", None)
        if connection is not None and self._local.process == os.getpid():
            with suppress(errors.AMQPError, OSError):
                connection.close()

    def __str__(self) -> str:
        return str(self._address)

    def _channel(self) -> Any:
        local = self._local
        if (
            getattr(local, "connection", None) is None
            or local.process != os.getpid()
            or time.monotonic() - local.used_at > IDLE_SECONDS
        ):
            self.close()
            local.connection, local.process = self._connect(), os.getpid()
            local.channel = local.connection.channel()
            local.channel.auto_decode = False
            local.channel.returned = []
            local.channel.events["basic_return"].add(lambda *found: local.channel.returned.append(found))
        local.used_at = time.monotonic()
        return local.channel

    def _connect(self) -> Any:
        address = self._address
        connection = amqp.Connection(
            f"{address.host}:{address.port}",
            userid=address.user,
            password=address.password,
            virtual_host=address.vhost,
            ssl=_verified(address.host) if address.tls else False,
            connect_timeout=CONNECT_SECONDS,
            read_timeout=ANSWER_SECONDS,
            write_timeout=ANSWER_SECONDS,
            confirm_publish=True,
            client_properties={"product": "dlqconsole"},
            frame_handler=frame_reader,
        )
        connection.connect()
        return connection

    def _explain(self, error: Exception) -> EngineError:
        reason = _words(error)
        if isinstance(error, errors.NotFound):
            return UnknownQueue(f"{self} has no such queue: {reason}.")
        if isinstance(error, (errors.AccessRefused, errors.NotAllowed)):
            return TransportUnavailable(f"{self} refused us: {reason}. Check DLQ_RABBITMQ_URL.")
        if isinstance(error, errors.ResourceLocked):
            return TransportUnavailable(f"{self} keeps the queue for somebody else: {reason}.")
        if isinstance(error, errors.PreconditionFailed):
            return InvalidMessage(f"{self} does not take it: {reason}.")
        return TransportUnavailable(
            f"{self} does not answer: {reason}. See that it runs and that DLQ_RABBITMQ_URL is right."
        )


def _verified(host: str) -> dict[str, Any]:
    return {"context": {"check_hostname": True}, "server_hostname": host}


def _words(error: Exception) -> str:
    text = getattr(error, "reply_text", None) or getattr(error, "strerror", None) or str(error)
    return " ".join(str(text).split()).rstrip(".") or type(error).__name__
