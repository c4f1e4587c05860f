"""Bad rows of anybody's job become dead letters; the good rows go on.

Bad are those that break a rule, and those that Spark's own readers could not read.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import batched
from typing import Any

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.jobs import in_plain_words
from dlqconsole.pipeline.running.runs import Run, record_run
from dlqconsole.pipeline.settings import read_settings
from dlqconsole.pipeline.sink.work import work_of
from dlqconsole.processing.outcomes import REASON_LIMIT, Failed
from dlqconsole.processing.texts import one_line

from .claims import MESSAGE, TOKEN, fail_again, open_tokens
from .frame import TEXTS, FrameShape, is_stream, shape_of
from .handlers import KIND, Result
from .rows import Naming, Row, rows_of
from .rules import Rule, check, failed_rules, quoted, row_as_json
from .storing import TALLY, FrameTask, as_batch, store_frame_rows, sum_counts, task_attempts

FAILED = "_dlq_failed"
CATEGORY = "BUSINESS"
LONGEST_JOB = 255
PAGE = 1_000
BAD_RECORD = "path string, record string, reason string"


@dataclass(frozen=True, slots=True)
class RowsJob:
    """The origin of bad rows: the queue to which a revive sends them, and their names."""

    name: str
    source: str | None = None
    type: str | None = None
    key: str | None = None
    payload: str | None = None
    database_url: str | None = None

    def __post_init__(self) -> None:
        if not 0 < len(self.name) <= LONGEST_JOB or not self.name.isprintable():
            raise BadRequest(f"job is a name of 1 to {LONGEST_JOB} characters, not {self.name!r}")

    @property
    def naming(self) -> Naming:
        return Naming(self.source or f"spark:{self.name}", self.type or self.name, self.name)


def expect_or_dead_letter(
    df: Any,
    rules: Mapping[str, Rule],
    *,
    job: str,
    source: str | None = None,
    type: str | None = None,
    key: str | None = None,
    payload: str | None = None,
    database_url: str | None = None,
) -> Any:
    """Store the rows that fail a rule as dead letters, and return the others, with the columns of ``df``.

    ``rules``: by name, SQL expressions, columns or ``json_schema(…)``; one that is NULL has not been kept.
    ``job``: the queue to which a revive sends a row back, see ``fixed_rows``. ``key``: the column that says
    which row it is, else the hash of its payload. ``payload``: the column that is kept, else the whole row
    as JSON.

    ``df`` is computed once, now, and kept on the workers: good and bad are of the same computation, also
    where another would give other rows. When a worker is lost with its part, the job ends rather than compute
    anew; started again, it finds the dead letters stored. Raises BadRequest, PipelineProblem.
    """
    if is_stream(df):
        raise BadRequest("this frame is a stream: expect rows of each batch, inside foreachBatch")
    rows_job = RowsJob(job, source, type, key, payload, database_url)
    return _quarantine(df, rows_job, failed_rules(df, rules), "RuleFailed")


def corrupt_records(
    df: Any,
    *,
    job: str,
    column: str = "_corrupt_record",
    key: str | None = None,
    database_url: str | None = None,
) -> Any:
    """Store the records that a PERMISSIVE reader left in ``column`` as dead letters; return the other rows.

    The schema that was given to the reader has that column. Raises as expect_or_dead_letter does.
    """
    rows_job = RowsJob(job, key=key, payload=column, database_url=database_url)
    return _quarantine_where_given(
        df, rows_job, column, "CorruptRecord", "it is not of the schema that it was read with"
    )


def rescued_data(
    df: Any,
    *,
    job: str,
    column: str = "_rescued_data",
    key: str | None = None,
    database_url: str | None = None,
) -> Any:
    """Store the rows of which a reader rescued some data into ``column``, whole; return the other rows."""
    rows_job = RowsJob(job, key=key, database_url=database_url)
    words = f"the column {column} holds what fits no other"
    return _quarantine_where_given(df, rows_job, column, "RescuedData", words)


def bad_records(spark: Any, path: str, *, job: str, database_url: str | None = None) -> None:
    """Store each record of a folder as ``badRecordsPath`` makes it: JSON lines of path, record and reason."""
    from pyspark.sql import functions

    files = spark.read.schema(BAD_RECORD).option("recursiveFileLookup", "true").json(path)
    rows_job = RowsJob(job, payload="record", database_url=database_url)
    why = functions.coalesce("reason", functions.lit("its reader said no reason"))
    _quarantine(files, rows_job, functions.array(why), "BadRecord")


def _quarantine_where_given(df: Any, job: RowsJob, column: str, error_class: str, words: str) -> Any:
    from pyspark.sql import functions

    has_value = functions.col(column).isNotNull()
    failures = functions.when(has_value, functions.array(functions.lit(words))).otherwise(functions.array())
    return _quarantine(df, job, failures, error_class).drop(column)


def _quarantine(df: Any, job: RowsJob, failures: Any, error_class: str) -> Any:
    """Do the same for a column of sentences: rows for which it holds some are bad."""
    from pyspark.sql import functions

    value = _payload(df, job)
    with _record_run(job) as (task, run):
        checked_rows = _checkpoint(df.withColumn(FAILED, failures))
        there = functions.size(FAILED) > 0
        bad = checked_rows.where(there).select(*_letter(checked_rows, job, value, error_class))
        task = replace(
            task,
            shape=shape_of(bad.schema, job.naming.source),
            work=replace(task.work, task_attempts=task_attempts(df.sparkSession)),
        )
        counts = sum_counts(bad.mapInArrow(partial(tally_bad, task, frozenset(open_tokens)), TALLY))
        run.finish("completed", _sentence(Result(run.id, counts)))
    return checked_rows.where(~there).drop(FAILED)


def tally_bad(task: FrameTask, tokens: frozenset[str], batches: Iterable[Any]) -> Iterator[Any]:
    """Store bad rows, settle those that were fixed once, and yield the counts; for mapInArrow.

    ``tokens``: the tokens of blocks that are open. A row of another is a row like any.
    """
    again: list[tuple[int, str, str]] = []
    rows = (row for batch in batches for row in _bad_rows(batch, task.shape, tokens, again))
    tally = store_frame_rows(task, rows)
    for page in batched(again, PAGE):
        tally[task.naming.event_type, "failed again"] += fail_again(task.work.database_url, page)
    yield as_batch(+tally)


def _sentence(result: Result) -> str:
    rest = f", {result.unchanged:,} unchanged" if result.unchanged else ""
    return f"{result.dead_letters:,} dead letters{rest}"


def _bad_rows(
    batch: Any, shape: FrameShape, tokens: frozenset[str], again: list[tuple[int, str, str]]
) -> Iterator[Row]:
    """The rows that failed for the first time. What was fixed once goes to ``again``: message, token, why."""
    others = [batch.column(name).to_pylist() for name in ("reason", MESSAGE, TOKEN)]
    for row, text, message, token in zip(rows_of(batch, shape), *others, strict=True):
        reason = one_line(text, REASON_LIMIT)
        if token in tokens:
            again.append((message, token, reason))
            continue
        row.failure = Failed(reason, CATEGORY, reason.partition(":")[0], "")
        yield row


def _letter(frame: Any, job: RowsJob, value: Any, error_class: str) -> list[Any]:
    from pyspark.sql import functions

    def column(name: str, kind: str) -> Any:
        return functions.col(name) if _are_fixed(frame) else functions.lit(None).cast(kind)

    reason = functions.concat(functions.lit(f"{error_class}: "), functions.array_join(FAILED, "; "))
    columns = [value.alias("value"), reason.alias("reason")]
    columns += [column(MESSAGE, "bigint").alias(MESSAGE), column(TOKEN, "string").alias(TOKEN)]
    return columns if job.key is None else [*columns, functions.col(quoted(job.key)).alias("key")]


def _are_fixed(frame: Any) -> bool:
    """Tell whether there may be rows of fixed_rows. Where only one of the columns is, it is the job's own."""
    return {MESSAGE, TOKEN} <= set(frame.columns)


def _payload(df: Any, job: RowsJob) -> Any:
    """The bytes that are kept of a row. Raises BadRequest: there is no such column."""
    from pyspark.sql import functions

    if job.payload is None:
        value = row_as_json(df, *((MESSAGE, TOKEN) if _are_fixed(df) else ()))
    else:
        column = functions.col(quoted(job.payload))
        value = column if dict(df.dtypes).get(job.payload) in TEXTS else functions.to_json(column)
    check(df, "the payload", payload=value)
    if job.key is not None:
        check(df, "the key", key=functions.col(quoted(job.key)))
    # a row is never without a value: one that is NULL is kept as that
    return functions.coalesce(value.cast("binary"), functions.lit("null").cast("binary"))


def _checkpoint(frame: Any) -> Any:
    try:
        return frame.localCheckpoint()
    except Exception as error:
        raise in_plain_words(error) from error


@contextmanager
def _record_run(job: RowsJob) -> Iterator[tuple[FrameTask, Run]]:
    settings = replace(read_settings(DATABASE_URL=job.database_url or ""), handlers="")
    with record_run(settings, KIND, f"Spark: rows of {job.name}") as run:
        yield FrameTask(work_of(settings, run.id, 1), FrameShape((), False), job.naming), run
