"""A frame's way into both tables: the workers' part, and what the driver asks of them.

By DataFrame calls alone, which Spark Connect has, too.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import BadRequest, PipelineProblem
from dlqconsole.pipeline.kafka.records import Record
from dlqconsole.pipeline.kafka.worker import only_new
from dlqconsole.pipeline.running.heartbeat import RunHeartbeat
from dlqconsole.pipeline.running.jobs import in_plain_words
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.items import Item
from dlqconsole.pipeline.sink.rows import store_rows
from dlqconsole.pipeline.sink.work import RunWork, problem_of_worker, what_is_missing

from .frame import FrameShape
from .rows import Naming, Row, item_of_frame_record, item_of_row, records_of, rows_of

# the result of a task: how many events of a type ended how
TALLY = "event_type string, ending string, events bigint"
BLANK = "blank"
# more than a small cluster has cores; each worker is asked once more by its first task
CHECKS = 32
_LOCAL = re.compile(r"local(?:\[(?:\d+|\*)(?:,(\d+))?\])?")


@dataclass(frozen=True, slots=True)
class FrameTask:
    """The task that travels to a worker: the work, and how to read the frame."""

    work: RunWork
    shape: FrameShape
    naming: Naming


def task_attempts(session: Any) -> int:
    """Return how often this session's Spark tries a task."""
    return attempts_of(_master(session), int(session.conf.get("spark.task.maxFailures", "4")))


def attempts_of(master: str, most_failures: int) -> int:
    """Return how often a master tries a task: a local one that says no number, once, whatever else is set."""
    local = _LOCAL.fullmatch(master)
    return int(local[1] or 1) if local else most_failures


def check_workers(session: Any, work: RunWork) -> None:
    """Raise BadRequest where handlers lack something on a worker, before the first event."""
    if _LOCAL.fullmatch(_master(session)):
        problems = [what_is_missing(work.handlers)]
    else:
        frame = session.range(0, CHECKS, 1, CHECKS)
        rows = collect_rows(frame.mapInArrow(partial(check_batches, work), "problem string"))
        problems = [row.problem for row in rows]
    for problem in filter(None, problems):
        raise BadRequest(problem)


def store_frame(frame: Any, task: FrameTask) -> Tally:
    """Have the workers store the frame; the sum of their counts."""
    return sum_counts(frame.mapInArrow(partial(tally_batches, task), TALLY))


def sum_counts(counts: Any) -> Tally:
    """Sum the counts that the workers give back."""
    sums: Tally = Counter()
    for row in collect_rows(counts):
        sums[row.event_type, row.ending] += row.events
    return sums


def collect_rows(frame: Any) -> list[Any]:
    """Return the rows of a frame, which are counts and sentences and never events. Raises PipelineProblem."""
    try:
        rows: list[Any] = frame.collect()
    except PipelineProblem:
        raise
    except Exception as error:
        raise in_plain_words(error) from error
    return rows


def store_batches(task: FrameTask, batches: Iterable[Any]) -> Tally:
    """Handle and store the rows of Arrow batches, on a worker."""
    if task.shape.of_kafka:
        return _store_records(task, (each for batch in batches for each in records_of(batch, task.shape)))
    return store_frame_rows(task, (row for batch in batches for row in rows_of(batch, task.shape)))


def store_frame_rows(task: FrameTask, rows: Iterator[Row]) -> Tally:
    """Handle and store rows. Nothing is opened for a part of the frame in which there are none."""
    tally: Tally = Counter()
    work = task.work

    def read(row: Row) -> Item | None:
        item = item_of_row(row, task.naming, work.limits)
        if item is None:
            tally[task.naming.event_type, BLANK] += 1
        return item

    for first in rows:
        with RunHeartbeat(work.database_url, work.run_id):
            tally += store_rows(work, chain((first,), rows), read)
    return tally


def _store_records(task: FrameTask, records: Iterator[tuple[Record, str | None]]) -> Tally:
    """Do the same for records of topics: one more failure is noted at the dead letter that it is."""
    tally: Tally = Counter()
    work = task.work

    def read(record: Record, event_type: str | None) -> Item | None:
        item = item_of_frame_record(record, event_type, task.naming, work.limits)
        if item is None:
            tally[event_type or record.topic, BLANK] += 1
        return item

    for first in records:
        items = (read(*each) for each in chain((first,), records))
        with RunHeartbeat(work.database_url, work.run_id), connect(work.database_url, "frame") as connection:
            tally += store_rows(work, only_new(work, connection, items), lambda item: item)
    return tally


def tally_batches(task: FrameTask, batches: Iterable[Any]) -> Iterator[Any]:
    """Store, and give back the counts alone; for mapInArrow."""
    yield as_batch(store_batches(task, batches))


def as_batch(tally: Tally) -> Any:
    """The counts as an Arrow batch of TALLY."""
    import pyarrow as pa

    kinds, endings = [kind for kind, _ in tally], [ending for _, ending in tally]
    columns = [pa.array(kinds, pa.string()), pa.array(endings, pa.string())]
    columns.append(pa.array(tally.values(), pa.int64()))
    return pa.RecordBatch.from_arrays(columns, names=["event_type", "ending", "events"])


def check_batches(work: RunWork, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield a sentence about what this worker lacks, or nothing; for mapInArrow."""
    import pyarrow as pa

    for _ in batches:
        problem = problem_of_worker(work)
        yield pa.RecordBatch.from_arrays([pa.array([problem] if problem else [], pa.string())], ["problem"])


def _master(session: Any) -> str:
    return str(session.conf.get("spark.master", ""))
