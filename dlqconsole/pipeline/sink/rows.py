"""Rows from anywhere, stored in batches: the heart of files, topics and frames."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import psycopg

from .batches import Tally
from .executors import apart, in_place
from .items import Item
from .storing import Sink
from .work import RunWork, make_ready

BATCH_EVENTS = 10_000
BATCH_BYTES = 16 * 1024 * 1024

# the run whose last rows, in this process, held nothing but new events
_new_to_us: set[int] = set()


def store_rows[Row](
    work: RunWork,
    rows: Iterable[Row],
    item_of_row: Callable[[Row], Item | None],
    *,
    again: bool | None = None,
    at_end: Callable[[psycopg.Connection], None] | None = None,
) -> Tally:
    """Handle and store the events of an iterator of rows; how many of each type ended how.

    ``item_of_row`` gives the item of a row, or None where there is no event in it: such are counted as blank.
    ``again``: a worker of this run has had these rows and may have stored part of them; when it is not said,
    the task that Spark runs here says it. The handlers then run in a process apart. ``at_end`` is called once
    all rows are committed, on the connection that wrote them.
    Raises BadRequest before the first row where this worker lacks what the handlers need.
    """
    make_ready(work)
    again = _was_tried_before() if again is None else again
    tally: Tally = Counter()
    with apart(work) if again or work.task_attempts == 1 else in_place(work) as attempt:
        sink = Sink(work, attempt, trusting=work.run_id in _new_to_us and not again, again=again)
        try:
            for items, blank in _batches(rows, item_of_row):
                tally += sink.store(items, blank)
            sink.end(at_end)
        finally:
            sink.close()
    _new_to_us.clear()
    if sink.trusting:
        _new_to_us.add(work.run_id)
    return tally


def _was_tried_before() -> bool:
    """Tell whether a worker has had these rows, and did not end well."""
    spark = sys.modules.get("pyspark")
    task = spark.TaskContext.get() if spark else None
    return task is not None and task.attemptNumber() > 0


def _batches[Row](
    rows: Iterable[Row], item_of_row: Callable[[Row], Item | None]
) -> Iterator[tuple[list[Item], int]]:
    items: list[Item] = []
    blank = size = 0
    for row in rows:
        item = item_of_row(row)
        if item is None:
            blank += 1
            continue
        items.append(item)
        size += len(item.line.value)
        if len(items) >= BATCH_EVENTS or size >= BATCH_BYTES:
            yield items, blank
            items, blank, size = [], 0, 0
    if items or blank:
        yield items, blank
