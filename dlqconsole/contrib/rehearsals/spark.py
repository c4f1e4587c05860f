"""Predictions for a DataFrame's rows, before any is stored."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import batched
from typing import Any

from dlqconsole.contrib.rehearsals.job.rehearser import Given, Rehearser, only_reading
from dlqconsole.contrib.rehearsals.predictions import RehearsalPrediction
from dlqconsole.pipeline.dataframes.frame import is_stream, shape_of
from dlqconsole.pipeline.dataframes.handlers import CallArguments
from dlqconsole.pipeline.dataframes.rows import item_of_row, rows_of
from dlqconsole.pipeline.dataframes.storing import FrameTask, check_workers, task_attempts
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.settings import read_settings
from dlqconsole.pipeline.sink.items import Item
from dlqconsole.pipeline.sink.work import problem_of_worker, work_of
from dlqconsole.processing.isolation import MOST
from dlqconsole.processing.outcomes import Failed

COLUMNS = ("would", "would_fail_as", "would_category", "would_reason")
# nothing is stored: an address is needed by handlers alone, and they have it from their own settings
_NOWHERE = "postgresql://"


def rehearse_handlers(
    df: Any, *, handlers: str | None = None, source: str | None = None, type: str | None = None
) -> Any:
    """Predict what ``run_handlers`` would do with every row: the columns of ``df`` and four more.

    ``would``: "succeed", "fail", "stop" (its process), "write" (it writes, and cannot be rehearsed) or
    "unknown" (its handler does not say that it can be rehearsed); NULL where the value is NULL. Of a failure
    ``would_fail_as`` (the error's class), ``would_category`` and ``would_reason``. Nothing is stored, no run
    is begun, no breaker asked, and no row compared with what is stored. The frame is lazy: each action runs
    the handlers again, unless it is cached.

    Raises BadRequest where a column, a module, a variable or a lookup file is missing.
    """
    if is_stream(df):
        raise BadRequest("this frame is a stream: rehearse each batch, inside foreachBatch")
    call = CallArguments(handlers, source, type)
    task = _task(df, call)
    check_workers(df.sparkSession, task.work)
    # Spark gives a worker only what the schema says: the columns as they are, and ours
    return df.mapInArrow(partial(predicted_batches, task), _schema(df))


def predicted_batches(task: FrameTask, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the batches with what would become of each row; for mapInArrow."""
    problem = problem_of_worker(task.work)
    if problem:
        raise BadRequest(problem)
    with only_reading(task.work) as attempt:
        rehearser = Rehearser(task.work, attempt)
        for batch in batches:
            rows = rows_of(batch, task.shape)
            items = (item_of_row(row, task.naming, task.work.limits) for row in rows)
            yield _with(batch, list(_predict(items, rehearser)))


def _predict(items: Iterable[Item | None], rehearser: Rehearser) -> Iterator[RehearsalPrediction | None]:
    for some in batched(items, MOST):
        predictions = rehearser.predict([_prediction_input(item) for item in some if item])
        yield from (next(predictions) if item else None for item in some)


def _prediction_input(item: Item) -> Given:
    if isinstance(item.outcome, Failed):
        return item.event_type, item.outcome
    assert item.event is not None  # noqa: S101  (what has not failed can be read)
    return item.event_type, item.event


def _with(batch: Any, predictions: Sequence[RehearsalPrediction | None]) -> Any:
    import pyarrow as pa

    columns = list(batch.columns)
    for name in ("would", "error_class", "category", "reason"):
        values = [each and (getattr(each, name) or None) for each in predictions]
        columns.append(pa.array(values, pa.string()))
    return pa.RecordBatch.from_arrays(columns, names=[*batch.schema.names, *COLUMNS])


def _task(df: Any, call: CallArguments) -> FrameTask:
    settings = read_settings(DATABASE_URL=_NOWHERE, DLQ_HANDLERS=call.handlers or "")
    if not settings.handlers:
        raise BadRequest("say which modules declare your handlers: handlers=…, or DLQ_HANDLERS")
    clashes = [name for name in df.columns if name in COLUMNS]
    if clashes:
        raise BadRequest(f"the frame has a column {clashes[0]} already: rename it, or drop it")
    work = work_of(settings, 0, task_attempts(df.sparkSession))
    # one failing row after the other is what is asked about
    work = replace(work, success_keepers=(), breaker=replace(work.breaker, failures=0))
    return FrameTask(work, shape_of(df.schema, call.source), call.naming())


def _schema(df: Any) -> Any:
    from pyspark.sql.types import StringType, StructField, StructType

    return StructType([*df.schema.fields, *(StructField(name, StringType()) for name in COLUMNS)])
