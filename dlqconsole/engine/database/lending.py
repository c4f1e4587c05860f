"""Django's connection, lent to the core: each thread its own, in the transaction that is open there."""

from contextlib import AbstractContextManager
from typing import Any

from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from dlqconsole.core.host import Connection
from dlqconsole.hosting.database import alias, transaction


class DjangoHost:
    """The host of every process with Django."""

    error = Error

    def connection(self) -> Connection:
        database = _database()
        database.close_if_health_check_failed()
        database.ensure_connection()
        raw: Connection = database.connection
        return raw

    def cursor(self) -> AbstractContextManager[Any]:
        return _database().cursor()

    def atomic(self) -> AbstractContextManager[Any]:
        return transaction.atomic()

    def in_transaction(self) -> bool:
        return bool(_database().in_atomic_block)

    def errors(self) -> AbstractContextManager[Any]:
        errors: AbstractContextManager[Any] = _database().wrap_database_errors
        return errors

    def close(self) -> None:
        _database().close()


def _database() -> BaseDatabaseWrapper:
    return connections[alias()]
