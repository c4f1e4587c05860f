"""The work of a Spark worker on its part of a frame."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.kafka.records import Record
from dlqconsole.pipeline.kafka.returning import only_new
from dlqconsole.pipeline.running.heartbeat import RunHeartbeat
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.items import Item
from dlqconsole.pipeline.sink.readiness import problem_of_worker
from dlqconsole.pipeline.sink.rows import store_rows
from dlqconsole.pipeline.sink.work import RunWork

from .frame import FrameShape
from .records import item_of_frame_record, records_of
from .rows import Naming, Row, item_of_row, rows_of

# the result of a task: how many events of a type ended how
TALLY = "event_type string, ending string, events bigint"
BLANK = "blank"


@dataclass(frozen=True, slots=True)
class FrameTask:
    """The task that travels to a worker: the work, and how to read the frame."""

    work: RunWork
    shape: FrameShape
    naming: Naming


def store_batches(task: FrameTask, batches: Iterable[Any]) -> Tally:
    """Handle and store the rows of Arrow batches."""
    if task.shape.of_kafka:
        return store_records(task, (each for batch in batches for each in records_of(batch, task.shape)))
    return store_frame_rows(task, (row for batch in batches for row in rows_of(batch, task.shape)))


def store_frame_rows(task: FrameTask, rows: Iterator[Row]) -> Tally:
    """Handle and store rows. Nothing is opened for a part of the frame in which there are none."""
    tally: Tally = Counter()
    for first in rows:
        with RunHeartbeat(task.work.database_url, task.work.run_id):
            tally += store_rows(task.work, chain((first,), rows), _Reader(task, tally))
    return tally


def store_records(task: FrameTask, records: Iterator[tuple[Record, str | None]]) -> Tally:
    """Do the same for records of topics: one more failure is noted at the dead letter that it is."""
    tally: Tally = Counter()
    work = task.work
    for first in records:
        items = (_item(task, tally, *each) for each in chain((first,), records))
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


def _item(task: FrameTask, tally: Tally, record: Record, event_type: str | None) -> Item | None:
    item = item_of_frame_record(record, event_type, task.naming, task.work.limits)
    if item is None:
        tally[event_type or record.topic, BLANK] += 1
    return item


class _Reader:
    """The item of a row; counts those without an event."""

    def __init__(self, task: FrameTask, tally: Tally) -> None:
        self._naming, self._limits, self._tally = task.naming, task.work.limits, tally

    def __call__(self, row: Row) -> Item | None:
        item = item_of_row(row, self._naming, self._limits)
        if item is None:
            self._tally[self._naming.event_type, BLANK] += 1
        return item
