"""Connections to MySQL: one a thread, opened when needed. Errors become sentences."""

import os
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pymysql
from pymysql.connections import Connection
from pymysql.constants import ER
from pymysql.cursors import DictCursor

from dlqconsole.configuration.addresses import MysqlAddress
from dlqconsole.core.errors import EngineError, InvalidMessage, UnknownQueue
from dlqconsole.transports.errors import TransportUnavailable

CONNECT_SECONDS = 10
ANSWER_SECONDS = 30
# READ COMMITTED: no gap locks, so that consumers and producers do not queue up behind each other.
# Strict: a value that does not fit is an error, never cut.
SESSION = (
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', innodb_lock_wait_timeout = 10",
)
_REFUSED = {ER.ACCESS_DENIED_ERROR, ER.DBACCESS_DENIED_ERROR, ER.BAD_DB_ERROR, 1130, 1226}
_BUSY = {ER.LOCK_DEADLOCK, ER.LOCK_WAIT_TIMEOUT}
_NO_TABLE = {ER.NO_SUCH_TABLE}
# a value that a table of others does not take; what the server says of the last may quote it
_MISFIT = ER.TRUNCATED_WRONG_VALUE_FOR_FIELD
_NOT_TAKEN = {ER.DATA_TOO_LONG, ER.NO_DEFAULT_FOR_FIELD, ER.BAD_NULL_ERROR, _MISFIT}
_OTHER_TABLE = {ER.BAD_FIELD_ERROR, 1176}  # a column, or an index, that is not there
TRIES = 5

type Cursor = DictCursor
# an alias is read late: the class is generic for mypy only
type Opened = Connection[DictCursor]


class _Busy(TransportUnavailable):
    """The database gave this transaction up for others: it may be run again."""


class MysqlConnections:
    """One connection a thread. Transactions are short, and undone as a whole when anything goes wrong."""

    def __init__(self, address: MysqlAddress) -> None:
        self.address = address
        self._local = threading.local()

    def run[T](self, work: Callable[[Cursor], T]) -> T:
        """Run ``work`` in one transaction, again if the database gives it up. Raises TransportUnavailable."""
        for tries_left in reversed(range(TRIES)):
            try:
                with self.transaction() as cursor:
                    return work(cursor)
            except _Busy:
                if not tries_left:
                    raise
        raise AssertionError  # pragma: no cover - the last try returns or raises

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        """Open a transaction that commits at the end of the block."""
        connection = self._begin()
        try:
            with connection.cursor() as cursor:
                yield cursor
            connection.commit()
        except EngineError:
            self._undo(connection)
            raise
        except pymysql.MySQLError as error:
            self.close()
            raise self._explain(error) from error
        except BaseException:
            # Whatever interrupted us may have left half an answer on the wire: the connection goes, and the
            # server undoes what was open.
            self.close()
            raise

    def _undo(self, connection: Opened) -> None:
        try:
            connection.rollback()
        except (pymysql.MySQLError, OSError):
            self.close()

    def close(self) -> None:
        """Close this thread's connection, if it has one."""
        connection, self._local.connection = self._mine(), None
        if connection is not None:
            with suppress(pymysql.MySQLError, OSError):
                connection.close()

    def _begin(self) -> Opened:
        """Begin a transaction on this thread's connection. A dead connection is replaced first."""
        connection = self._mine()
        if connection is not None:
            try:
                connection.begin()
                return connection
            except (pymysql.MySQLError, OSError):  # "server has gone away", while we did not look
                self.close()
        connection = self._connect()
        try:
            connection.begin()
        except (pymysql.MySQLError, OSError) as error:
            self.close()
            raise self._explain(error) from error
        return connection

    def _mine(self) -> Opened | None:
        # After a fork the parent's connection is not ours to use: dropping it sends nothing.
        if getattr(self._local, "process", None) != os.getpid():
            self._local.connection = None
        connection: Opened | None = self._local.connection
        return connection

    def _connect(self) -> Opened:
        address = self.address
        try:
            connection = pymysql.connect(
                host=address.host,
                port=address.port,
                user=address.user,
                password=address.password,
                database=address.database,
                charset="utf8mb4",
                cursorclass=DictCursor,
                connect_timeout=CONNECT_SECONDS,
                read_timeout=ANSWER_SECONDS,
                write_timeout=ANSWER_SECONDS,
                ssl=ssl.create_default_context() if address.tls else None,
            )
            with connection.cursor() as cursor:
                for statement in SESSION:
                    cursor.execute(statement)
        # RuntimeError: the account's password needs TLS, or a package that is not installed
        except (pymysql.MySQLError, OSError, RuntimeError) as error:
            raise self._unreachable(error) from error
        self._local.process, self._local.connection = os.getpid(), connection
        return connection

    def _unreachable(self, error: Exception) -> TransportUnavailable:
        code, reason = _code_and_words(error)
        if code in _REFUSED:
            return TransportUnavailable(f"{self.address} refused us: {reason}. Check DLQ_MYSQL_URL.")
        return TransportUnavailable(
            f"{self.address} does not answer: {reason}. See that it runs and that DLQ_MYSQL_URL is right."
        )

    def _explain(self, error: Exception) -> EngineError:
        code, reason = _code_and_words(error)
        if code in _BUSY:
            return _Busy(f"{self.address} is busy: {reason}. Nothing was changed; try again.")
        if code in _NO_TABLE:
            return UnknownQueue(
                f"{self.address} has no queue tables in the database {self.address.database}: "
                "run dlqconsole/transports/mysql/mysql_tables.sql on it."
            )
        if code in _NOT_TAKEN:
            words = "a value does not fit its column" if code == _MISFIT else reason
            return InvalidMessage(f"{self.address} does not take it: {words}.")
        if code in _OTHER_TABLE:
            return TransportUnavailable(
                f"The queue tables at {self.address} are not as in mysql_tables.sql: {reason}."
            )
        return TransportUnavailable(
            f"{self.address} failed in between: {reason}. The statement may or may not have been carried out."
        )


def _code_and_words(error: Exception) -> tuple[int, str]:
    """Return the server's error code (0 when it gave none) and its words."""
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    words = str(error.args[-1]) if error.args else ""
    return code, words.rstrip(".") or type(error).__name__
