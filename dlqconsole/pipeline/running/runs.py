"""The job's row in ``pipeline_runs``, which people watch in the console while it works."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg

from dlqconsole.core.sql import sql as core_sql
from dlqconsole.pipeline.database import connect, in_words
from dlqconsole.pipeline.errors import PipelineProblem, RunIsOver, Stopped, masked
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sql import sql

from .heartbeat import RunHeartbeat, beat

MESSAGE_LIMIT = 2_000


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The work that the run has committed so far."""

    total: int = 0
    done_count: int = 0
    counts: dict[str, int] = field(default_factory=dict)


class Run:
    """One run, from ``begin`` to ``finish``, on a connection of its own."""

    def __init__(self, database_url: str, run_id: int, connection: psycopg.Connection) -> None:
        self.id = run_id
        self._database_url = database_url
        self._connection = connection
        self.progress = RunProgress()

    @classmethod
    def begin(
        cls, database_url: str, kind: str, subject: str, unit: str = "events", row_id: int | None = None
    ) -> "Run":
        """Mark the dead runs as failed; take up the row of who asked for this one, or add a row.

        Raises RunIsOver when that row waits for no process, DatabaseAway, PipelineProblem.
        """
        connection = connect(database_url, f"{kind} run")
        values: dict[str, Any] = {"kind": kind, "subject": subject, "unit": unit, "message": "starting"}
        values |= {"id": row_id, "pid": os.getpid(), "host": socket.gethostname()}
        try:
            connection.execute(core_sql("runs.abandon").encode())
            row = connection.execute(sql("runs.begin" if row_id is None else "runs.adopt"), values).fetchone()
        except psycopg.Error as error:
            connection.close()
            raise PipelineProblem(in_words(error)) from error
        if row is None:
            connection.close()
            raise RunIsOver(f"run {row_id} waits for no process: it has one, or it is over")
        return cls(database_url, _only(row), connection)

    @classmethod
    def resume(cls, database_url: str, run_id: int) -> "Run":
        """Go on with a run that rests between two batches of a stream. Raises RunIsOver: it is gone."""
        run = cls(database_url, run_id, connect(database_url, "run"))
        if run._execute("runs.resume", {}) is None:
            run.close()
            raise RunIsOver(f"run {run_id} is gone")
        return run

    def beat(self) -> RunProgress:
        """Say that we live; what is committed so far. Raises Stopped, RunIsOver, psycopg.Error."""
        status, *progress = beat(self._open(), self.id)
        self.progress = RunProgress(*progress)
        if status == "cancelling":
            raise Stopped("somebody cancelled it")
        return self.progress

    def describe(self, message: str, more: int = 0) -> None:
        """Say what the run is doing, and that so many more events are to come."""
        self._execute("runs.describe", {"message": message[:MESSAGE_LIMIT], "more": more})

    def add(self, number: int, counts: str = "{}") -> None:
        """Count work that the driver itself has done."""
        self._execute("runs.add", {"done": number, "blank": 0, "counts": counts})

    def finish(self, status: str, message: str) -> None:
        """Write the last word, masked where it failed. An end that somebody else has written stays."""
        message = masked(message) if status == "failed" else message
        row = self._execute("runs.finish", {"status": status, "message": message[:MESSAGE_LIMIT]})
        if row:
            self.progress = RunProgress(*row)

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def beating(self) -> RunHeartbeat:
        """A block in which the run says by itself that it lives."""
        return RunHeartbeat(self._database_url, self.id)

    def _open(self) -> psycopg.Connection:
        if self._connection.closed:
            self._connection = connect(self._database_url, "run")
        return self._connection

    def _execute(self, name: str, values: dict[str, Any]) -> Any:
        return self._open().execute(sql(name), {"id": self.id, **values}).fetchone()


@contextmanager
def record_run(settings: Settings, kind: str, subject: str, unit: str = "events") -> Iterator[Run]:
    """Begin a run; whatever ends the block early is written down as why it failed."""
    with watch_run(Run.begin(settings.database_url, kind, subject, unit, settings.adopted_run)) as run:
        yield run


@contextmanager
def watch_run(run: Run) -> Iterator[Run]:
    """The run for the block, alive in it, closed after it; whatever ends the block early is noted."""
    try:
        with run.beating():
            yield run
    except BaseException as error:
        _fail(run, error)
        raise
    finally:
        run.close()


def _fail(run: Run, error: BaseException) -> None:
    words = in_words(error) if isinstance(error, psycopg.Error) else str(error)
    try:
        run.finish("failed", words if isinstance(error, Exception) and words else type(error).__name__)
    except (psycopg.Error, PipelineProblem):
        return  # the database is away: the next run marks this one by its silence


def _only(row: Any) -> int:
    return int(row[0])
