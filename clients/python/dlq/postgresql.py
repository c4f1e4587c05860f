"""The console's database: one call of a function for each report, as a role that may call no more."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

from .destinations import Away
from .reports import Report

try:
    import psycopg
except ImportError:
    psycopg = None  # type: ignore[assignment]

# Each unless the DSN says otherwise. Nobody waits for ever for a server that is gone, and a pooler knows no
# prepared statements.
_DEFAULTS: dict[str, Any] = {
    "application_name": "dlq",
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
# A server that hangs, or a pooler before it, has a kernel that still says yes to every byte.
ANSWER_SECONDS = 30.0
_REPORT = """SELECT dead_letter_report(event_type => %(type)s, payload => %(payload)s::jsonb,
    error_reason => %(reason)s, error_stacktrace => %(stacktrace)s, source => %(source)s,
    source_key => %(key)s, error_category => %(category)s, queue => %(queue)s, headers => %(headers)s::jsonb,
    report_id => %(report)s)"""
_RECOVERED = "SELECT dead_letter_recovered(%(source)s, %(key)s)"
# Data that the database refuses will be refused again. Whatever else it says is about the connection, the
# server, the rights or the schema, and changes.
_REFUSED = ("21", "22", "23", "54", "P0")


class Database:
    """A connection to PostgreSQL, made when there is something to send."""

    def __init__(self, dsn: str) -> None:
        if psycopg is None:
            raise ValueError("for a PostgreSQL URL, dlq needs psycopg: pip install 'dlq[postgres]'")
        try:
            given = psycopg.conninfo.conninfo_to_dict(dsn)
        except psycopg.ProgrammingError as problem:
            raise ValueError(f"dlq.init cannot read this PostgreSQL URL: {str(problem).strip()}") from None
        self._parameters = {**_DEFAULTS, **given}
        self._connection: psycopg.Connection[Any] | None = None
        self._inherited: list[object] = []

    def send(self, reports: list[Report]) -> list[str]:
        try:
            return [why for report in reports if (why := self._store(report))]
        except (psycopg.Error, OSError) as problem:
            self.close()
            raise Away(f"the database does not take them: {_sentence(problem)}") from problem

    def _store(self, report: Report) -> str:
        connection = self._connected()
        try:
            with _answering(connection):
                if recovered := report.get("recovered"):
                    connection.execute(_RECOVERED, recovered)
                else:
                    connection.execute(_REPORT, _parameters(report))
        except psycopg.Error as problem:
            if (problem.sqlstate or "").startswith(_REFUSED):
                return f"the database refused it: {_sentence(problem)}"
            raise
        return ""

    def ask(self, query: str, values: dict[str, Any]) -> Any:
        """Return the only value of a query's only row. Raises Away."""
        try:
            try:
                row = self._row(query, values)
            except psycopg.OperationalError:
                if self._connection is None or not self._connection.closed:
                    raise
                # it had ended unseen: another one is tried once
                row = self._row(query, values)
        except (psycopg.Error, OSError) as problem:
            self.close()
            raise Away(_sentence(problem)) from problem
        return row[0] if row else None

    def _row(self, query: str, values: dict[str, Any]) -> Any:
        connection = self._connected()
        with _answering(connection):
            return connection.execute(query, values).fetchone()

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(autocommit=True, prepare_threshold=None, **self._parameters)
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def abandon(self) -> None:
        # not even collected: that would say goodbye in the parent's name
        self._inherited.append(self._connection)
        self._connection = None


@contextlib.contextmanager
def _answering(connection: Any) -> Iterator[None]:
    """Hang up where a statement has no answer in time: psycopg waits for as long as the line is there."""
    # a copy, which ends the line for both, and cannot be a number that is somebody else's by then
    with socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as line:
        timer = threading.Timer(ANSWER_SECONDS, _hang_up, (line,))
        timer.daemon = True
        with contextlib.suppress(RuntimeError):  # the interpreter ends
            timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _hang_up(line: socket.socket) -> None:
    with contextlib.suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


def _parameters(report: Report) -> dict[str, Any]:
    error = report["error"]
    return {
        "type": report["type"],
        "payload": json.dumps(report["data"]),
        "reason": f"{error['type']}: {error['message']}",
        "stacktrace": error["stacktrace"],
        "source": report["source"],
        "key": report["id"],
        "category": error.get("category", "UNKNOWN"),
        "queue": error.get("queue"),
        "headers": json.dumps(error["headers"]),
        "report": error["report"],
    }


def _sentence(problem: Exception) -> str:
    """Return the first line of the server's words: the second one may show data."""
    return str(problem).strip().partition("\n")[0] or type(problem).__name__
