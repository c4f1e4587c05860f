"""Other databases, each a service of libpq: one connection a thread. What is done there commits by itself."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from dlqconsole.core.host import use
from dlqconsole.core.transient_errors import sentence
from dlqconsole.transports.errors import TransportUnavailable

CONNECT_SECONDS = 10
SESSION = "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s"
_local = threading.local()


@contextmanager
def use_service(service: str, label: str) -> Iterator[None]:
    """Work in that database in the block. ``label``: what is there. Raises TransportUnavailable."""
    try:
        with use(_connection(service)):
            yield
    except psycopg.Error as error:
        close()
        # without its cause: that would speak of our own database
        raise TransportUnavailable(f"{label} at the service {service}: {sentence(error)}.") from None


def close() -> None:
    """Close this thread's connections."""
    connections: dict[str, psycopg.Connection[Any]] = getattr(_local, "connections", {})
    while connections:
        connections.popitem()[1].close()


def _connection(service: str) -> psycopg.Connection[Any]:
    if not hasattr(_local, "connections"):
        _local.connections = {}
    connection: psycopg.Connection[Any] | None = _local.connections.get(service)
    if connection is None or connection.closed:
        connection = _local.connections[service] = psycopg.connect(
            service=service, autocommit=True, connect_timeout=CONNECT_SECONDS, options=SESSION
        )
    return connection
