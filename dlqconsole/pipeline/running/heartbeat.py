"""The heartbeat of a run, from its first row to its last: one that is silent for a minute passes for dead."""

import threading
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import psycopg
from psycopg.errors import UniqueViolation

from dlqconsole.core.sql import sql as core_sql
from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import DatabaseAway, RunIsOver
from dlqconsole.pipeline.sql import sql

# a dozen beats may fail before the run passes for dead
BEAT_SECONDS = 5.0


def beat(connection: psycopg.Connection, run_id: int) -> tuple[Any, ...]:
    """Say that the run lives: its status, total, done and counts. Raises RunIsOver.

    One that passed for dead is taken back, unless somebody has begun its work anew.
    """
    row = connection.execute(sql("runs.beat"), {"id": run_id}).fetchone()
    if row is None:
        with suppress(UniqueViolation):  # of its lock: another was asked for in this moment
            row = connection.execute(core_sql("runs.take_back").encode(), {"id": run_id}).fetchone()
    if row is None:
        raise RunIsOver("this run was marked as ended by another process")
    return row


class RunHeartbeat:
    """A thread that beats within its block, on a connection of its own, whatever the others wait for."""

    def __init__(self, database_url: str, run_id: int) -> None:
        self._url, self._run_id = database_url, run_id
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.wait(BEAT_SECONDS):
            with suppress(DatabaseAway, psycopg.Error), connect(self._url, "heartbeat") as connection:
                return self._beat(connection)

    def _beat(self, connection: psycopg.Connection) -> None:
        """Beat until the block or the run ends. Raises psycopg.Error where the connection breaks."""
        with suppress(RunIsOver):  # the database tells whoever writes for the run
            beat(connection, self._run_id)
            while not self._stop.wait(BEAT_SECONDS):
                beat(connection, self._run_id)
