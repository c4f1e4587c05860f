"""The database connection that the core works on. Its host lends it.

Django lends its own, within its transaction. A Spark worker, or a program of yours, brings one::

    with psycopg.connect(url, autocommit=True) as connection, use(connection):
        messages.send("orders", '{"order_id": 7}')
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, Protocol

import psycopg
from psycopg.pq import TransactionStatus

type Connection = psycopg.Connection[Any]


class Host(Protocol):
    """The lender of a connection. ``error``: the class of the database's errors, as its users know them."""

    @property
    def error(self) -> type[Exception]: ...

    def connection(self) -> Connection:
        """Return the open connection, opened again where it was lost."""

    def cursor(self) -> AbstractContextManager[Any]:
        """Open a cursor for ordinary statements."""

    def atomic(self) -> AbstractContextManager[Any]:
        """Open a transaction, or a savepoint within one."""

    def in_transaction(self) -> bool:
        """Tell whether the caller has a transaction open."""

    def errors(self) -> AbstractContextManager[Any]:
        """Raise psycopg's errors in the block as the host's own."""

    def close(self) -> None:
        """Close the connection, since it is lost."""


class NoConnection(Exception):
    """Nobody has lent a connection to this thread."""


class OwnConnection:
    """The host of a program that brings a connection of psycopg, in autocommit."""

    error = psycopg.Error

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def connection(self) -> Connection:
        return self._connection

    def cursor(self) -> AbstractContextManager[Any]:
        return self._connection.cursor()

    def atomic(self) -> AbstractContextManager[Any]:
        return self._connection.transaction()

    def in_transaction(self) -> bool:
        return self._connection.info.transaction_status != TransactionStatus.IDLE

    def errors(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def close(self) -> None:
        self._connection.close()


_borrowed: ContextVar[Host | None] = ContextVar("host", default=None)
_of_process: Host | None = None


def host() -> Host:
    """Return the lender of this context, else of this process. Raises NoConnection."""
    lender = _borrowed.get() or _of_process
    if lender is None:
        raise NoConnection("The core has no connection here: with use(connection): …")
    return lender


def is_lent() -> bool:
    """Tell whether a connection may be open here: a fork would share it."""
    return bool(_borrowed.get() or _of_process)


def lend(lender: Host) -> None:
    """Lend a connection to the whole process: each thread asks ``lender`` for its own."""
    global _of_process
    _of_process = lender


@contextmanager
def use(connection: Connection) -> Iterator[None]:
    """Work on this connection in the block."""
    before = _borrowed.set(OwnConnection(connection))
    try:
        yield
    finally:
        _borrowed.reset(before)
