"""Rows that a person has fixed and revived come back to their job."""

import threading
from contextlib import AbstractContextManager, suppress
from typing import Any, Self

from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.settings import read_settings
from dlqconsole.processing.outcomes import REASON_LIMIT

from .claims import CLAIM, MESSAGE, TOKEN, QueueClaim, fail_again, open_tokens
from .data_source import NAME, register
from .storing import collect_rows

LEASE_SECONDS = 600.0
MOST = 10_000
# the column in which Spark's parser leaves text that it could not read
MISFIT = "_dlq_misfit"


def fixed_rows(
    spark: Any, job: str, *, schema: Any = None, limit: int = MOST, database_url: str | None = None
) -> "FixedRows":
    """Take up to ``limit`` revived rows of a job, for a ``with`` block.

    Its ``rows`` are a DataFrame with the columns of a frame for run_handlers or, where ``schema`` is given,
    with those that the JSON of each row has; and with dlq_message and dlq_token, which belong to each row
    all the way to ``expect_or_dead_letter`` in this block: by them a row that fails again is settled. A row
    whose JSON does not fit the schema has failed again, and is none of them.

    At the end of the block the rows that did not fail again have succeeded, each once. When the block raises,
    all are given back; when the process dies, they come back after ten minutes. So what the block writes is
    written at least once. Raises PipelineProblem.
    """
    return FixedRows(spark, job, schema, limit, database_url)


class FixedRows(AbstractContextManager["FixedRows"]):
    """See ``fixed_rows``. ``count``: how many were taken; ``misfits``: of these, how many did not fit the
    schema, once ``rows`` was asked for; ``settled``: how many had succeeded, afterwards."""

    def __init__(self, spark: Any, job: str, schema: Any, limit: int, database_url: str | None) -> None:
        self._spark, self._job, self._schema, self._limit = spark, job, schema, limit
        self._url = read_settings(DATABASE_URL=database_url or "").database_url
        self.misfits = self.settled = 0

    def __enter__(self) -> Self:
        self._claim = QueueClaim(self._url, self._job, self._limit, LEASE_SECONDS)
        open_tokens.add(self._claim.token)
        self._stop = threading.Event()
        threading.Thread(target=self._renew, name="fixed rows", daemon=True).start()
        return self

    def __exit__(self, _kind: Any, error: BaseException | None, _traceback: Any) -> None:
        self._stop.set()
        open_tokens.discard(self._claim.token)
        if error is None:
            self.settled = self._claim.settle()
        else:
            self._claim.give_back()

    @property
    def count(self) -> int:
        """The number of rows that were taken."""
        return len(self._claim.ids)

    @property
    def rows(self) -> Any:
        """The rows, read by the workers."""
        register(self._spark)
        ids = self._claim.ids or [0]
        options = {CLAIM: self._claim.token, "first": ids[0], "last": ids[-1], "url": self._url}
        frame = self._spark.read.format(NAME).options(**options).load()
        return frame if self._schema is None else self._parse_rows(frame)

    def _parse_rows(self, frame: Any) -> Any:
        """The rows that fit the schema. Spark would make NULL of a value that does not."""
        from pyspark.sql import functions
        from pyspark.sql.types import DataType, StringType, StructType

        given_schema: Any = self._schema
        schema: Any = DataType.fromDDL(given_schema) if isinstance(given_schema, str) else given_schema
        full_schema = StructType(list(schema)).add(MISFIT, StringType())
        text = frame["value"].cast("string")
        row = functions.from_json(text, full_schema, {"columnNameOfCorruptRecord": MISFIT}).alias("row")
        rows = frame.select(row, MESSAGE, TOKEN)
        fits = rows["row"].isNotNull() & rows[f"row.{MISFIT}"].isNull()
        self._fail(rows.where(~fits), schema.simpleString())
        return rows.where(fits).select("row.*", MESSAGE, TOKEN).drop(MISFIT)

    def _fail(self, misfits: Any, schema: str) -> None:
        reason = f"RowMisfit: the fixed row does not fit the schema of its job, {schema}"[:REASON_LIMIT]
        failures = [
            (row[MESSAGE], row[TOKEN], reason) for row in collect_rows(misfits.select(MESSAGE, TOKEN))
        ]
        self.misfits += fail_again(self._url, failures)

    def _renew(self) -> None:
        while not self._stop.wait(LEASE_SECONDS / 5):
            with suppress(PipelineProblem):
                self._claim.renew()
