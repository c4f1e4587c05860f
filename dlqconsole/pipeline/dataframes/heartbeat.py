"""Keeps a run alive while a long batch is worked on: one that is silent for a minute passes for dead."""

import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

import psycopg

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.sql import sql

BEAT_SECONDS = 15.0


class Heartbeat:
    """Beats within its block, by a connection that it opens with the first beat."""

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
            with suppress(PipelineProblem, psycopg.Error), connect(self._url, "heartbeat") as connection:
                connection.execute(sql("runs.beat"), {"id": self._run_id})
