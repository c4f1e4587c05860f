"""Rows that a person has fixed and revived come back to their job."""

import threading
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.settings import read_settings

from .claimed import CLAIM, MESSAGE, TOKEN, Claim, open_tokens
from .data_source import NAME, register

LEASE_SECONDS = 600.0
MOST = 10_000


def fixed_rows(
    spark: Any, job: str, *, schema: Any = None, limit: int = MOST, database_url: str | None = None
) -> "FixedRows":
    """Take up to ``limit`` revived rows of a job, for a ``with`` block.

    Its ``rows`` are a DataFrame with the columns of a frame for run_handlers or, where ``schema`` is given,
    with those that the JSON of each row has; and with dlq_message and dlq_token, which belong to each row
    all the way to ``expect_or_dead_letter`` in this block: by them a row that fails again is settled.

    At the end of the block the rows that did not fail again have succeeded, each once. When the block raises,
    all are given back; when the process dies, they come back after ten minutes. So what the block writes is
    written at least once. Raises PipelineProblem.
    """
    return FixedRows(spark, job, schema, limit, database_url)


class FixedRows:
    """See ``fixed_rows``. ``count``: how many were taken; ``settled``: how many had succeeded, afterwards."""

    def __init__(self, spark: Any, job: str, schema: Any, limit: int, database_url: str | None) -> None:
        self._spark, self._job, self._schema, self._limit = spark, job, schema, limit
        self._url = read_settings(DATABASE_URL=database_url or "").database_url
        self.settled = 0

    def __enter__(self) -> Self:
        self._claim = Claim(self._url, self._job, self._limit, LEASE_SECONDS)
        open_tokens.add(self._claim.token)
        self._stop = threading.Event()
        threading.Thread(target=self._renew, name="fixed rows", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop.set()
        open_tokens.discard(self._claim.token)
        if error is None:
            self.settled = self._claim.settle()
        else:
            self._claim.give_back(f"{type(error).__name__}: {error}")

    @property
    def count(self) -> int:
        """How many rows were taken."""
        return len(self._claim.ids)

    @property
    def rows(self) -> Any:
        """The rows, read by the workers."""
        register(self._spark)
        ids = self._claim.ids or [0]
        options = {CLAIM: self._claim.token, "first": ids[0], "last": ids[-1], "url": self._url}
        found = self._spark.read.format(NAME).options(**options).load()
        return found if self._schema is None else self._parsed(found)

    def _parsed(self, found: Any) -> Any:
        from pyspark.sql import functions

        row = functions.from_json(found["value"].cast("string"), self._schema).alias("row")
        return found.select(row, MESSAGE, TOKEN).select("row.*", MESSAGE, TOKEN)

    def _renew(self) -> None:
        while not self._stop.wait(LEASE_SECONDS / 5):
            with suppress(PipelineProblem):
                self._claim.renew()
