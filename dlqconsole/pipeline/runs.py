"""The job's row in ``pipeline_runs``, which people watch in the console while it works."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg

from .database import connect, in_words
from .errors import PipelineProblem, RunIsOver
from .sql import sql

MESSAGE_LIMIT = 2_000


@dataclass(frozen=True, slots=True)
class Progress:
    """What the run has committed so far."""

    total: int = 0
    done: int = 0
    counts: dict[str, int] = field(default_factory=dict)


class Run:
    """One run, from ``begin`` to ``finish``, on a connection of its own."""

    def __init__(self, database_url: str, run_id: int, connection: psycopg.Connection) -> None:
        self.id = run_id
        self._database_url = database_url
        self._connection = connection
        self.progress = Progress()

    @classmethod
    def begin(cls, database_url: str, kind: str, subject: str, unit: str = "events") -> "Run":
        """Mark the dead runs as failed and add this one."""
        connection = connect(database_url, f"{kind} run")
        values = {"kind": kind, "subject": subject, "unit": unit, "message": "starting"}
        try:
            connection.execute(sql("runs.abandon"))
            row = connection.execute(sql("runs.begin"), values).fetchone()
        except psycopg.Error as error:
            connection.close()
            raise PipelineProblem(in_words(error)) from error
        return cls(database_url, _only(row), connection)

    def beat(self) -> Progress:
        """Say that we live; what is committed so far. Raises RunIsOver, psycopg.Error."""
        row = self._execute("runs.beat", {})
        if row is None:
            raise RunIsOver("this run was marked as ended by another process")
        self.progress = Progress(*row)
        return self.progress

    def describe(self, message: str, more: int = 0) -> None:
        """Say what the run is doing, and that so many more events are to come."""
        self._execute("runs.describe", {"message": message[:MESSAGE_LIMIT], "more": more})

    def add(self, done: int, counts: str = "{}") -> None:
        """Count work that the driver itself has done."""
        self._execute("runs.add", {"done": done, "blank": 0, "counts": counts})

    def finish(self, status: str, message: str) -> None:
        """Write the last word. An end that somebody else has written stays."""
        row = self._execute("runs.finish", {"status": status, "message": message[:MESSAGE_LIMIT]})
        if row:
            self.progress = Progress(*row)

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def _execute(self, name: str, values: dict[str, Any]) -> Any:
        if self._connection.closed:
            self._connection = connect(self._database_url, "run")
        return self._connection.execute(sql(name), {"id": self.id, **values}).fetchone()


@contextmanager
def recorded(database_url: str, kind: str, subject: str, unit: str = "events") -> Iterator[Run]:
    """Begin a run; whatever ends the block early is written down as why it failed."""
    run = Run.begin(database_url, kind, subject, unit)
    try:
        yield run
    except BaseException as error:
        _fail(run, error)
        raise
    finally:
        run.close()


def _fail(run: Run, error: BaseException) -> None:
    sentence = str(error) if isinstance(error, Exception) and str(error) else type(error).__name__
    try:
        run.finish("failed", sentence)
    except (psycopg.Error, PipelineProblem):
        return  # the database is away: the next run marks this one by its silence


def _only(row: Any) -> int:
    return int(row[0])
