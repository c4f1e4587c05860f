"""How fast something is done once it is being done: a number in the database, looked at again and again."""

import threading
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

import psycopg

EVERY = 0.05
# what is told of an ingest is committed with its rows; so it is of an operation
OF_RUN = "SELECT done FROM pipeline_runs ORDER BY id DESC LIMIT 1"
OF_OPERATION = "SELECT done + failed FROM operations WHERE kind = '{}'"


class Progress(AbstractContextManager["Progress"]):
    """Looks at a number for a block. Neither the way to the first that is done counts, nor that one."""

    def __init__(self, url: str, query: str) -> None:
        self._url, self._query = url, query
        self._seen: list[tuple[float, int]] = [(time.monotonic(), 0)]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    @property
    def done(self) -> int:
        """What is done in the end."""
        return self._seen[-1][1]

    @property
    def rate(self) -> float:
        """Done a second; of what was done in one step, from the beginning on."""
        first = self._seen[1 if len(self._seen) > 2 else 0]
        last = self._seen[-1]
        return (last[1] - first[1]) / max(last[0] - first[0], EVERY)

    def _look(self) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            while not self._over.wait(EVERY):
                self._note(connection)
            self._note(connection)

    def _note(self, connection: psycopg.Connection) -> None:
        row = connection.execute(self._query).fetchone()
        if row and row[0] and row[0] != self._seen[-1][1]:
            self._seen.append((time.monotonic(), row[0]))
