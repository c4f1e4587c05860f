"""Frames as nobody would make them: none of them loses an event, ends a session, or fills the memory.

In `make test` a worker gets their rows as Spark hands them over, without Spark; in `make soak` from Spark.
"""

import pyarrow as pa
import pytest
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from dlqconsole.pipeline.dataframes.frame import shape_of
from dlqconsole.pipeline.dataframes.handlers import Result
from dlqconsole.pipeline.dataframes.rows import SOURCE, TYPE, Naming
from dlqconsole.pipeline.dataframes.storing import FrameTask, store_batches
from dlqconsole.spark import register, run_handlers
from tests.pipeline.hostile import LINES, event
from tests.sizes import SOAK, sized
from tests.threads import at_once

pytestmark = [pytest.mark.sized, pytest.mark.django_db(transaction=True)]

BOTH = "SELECT source_key FROM enriched_events UNION ALL SELECT source_key FROM dlq_events"
COLUMNS = {"value": BinaryType(), "source": StringType(), "type": StringType(), "key": StringType()}


def by_a_worker(make_work):
    """store(rows, source=None) of value, source, type and key, or of the first of these; its Result."""

    def store(rows: list[tuple], source: str | None = None) -> Result:
        names = list(COLUMNS)[: len(rows[0])]
        fields = [StructField(name, COLUMNS[name]) for name in names]
        batch = pa.RecordBatch.from_pylist([dict(zip(names, row, strict=True)) for row in rows])
        work = make_work()
        task = FrameTask(work, shape_of(StructType(fields), source), Naming(source or SOURCE, TYPE))
        return Result(work.run_id, dict(store_batches(task, [batch.slice(0, 0), batch])))

    return store


def by_spark(session):
    """The same, from a frame of Spark's."""

    def store(rows: list[tuple], source: str | None = None) -> Result:
        columns = [f"{name} {kind.simpleString()}" for name, kind in COLUMNS.items()]
        frame = session.createDataFrame(rows, ", ".join(columns[: len(rows[0])]))
        return run_handlers(frame, source=source)

    return store


store = pytest.fixture(by_spark if SOAK else by_a_worker, name="store")


def test_every_hostile_row_is_somewhere_with_its_bytes(store, rows):
    values = sorted({hostile.line for hostile in LINES})
    result = store([(value,) for value in values])
    assert (result.events, len(rows(BOTH))) == (len(values), len(values))
    raws = {
        bytes(row["payload_raw"]) for row in rows("SELECT payload_raw FROM dlq_events WHERE payload IS NULL")
    }
    assert raws <= set(values)


def test_names_that_no_column_can_hold_and_values_that_are_too_long(store, rows):
    odd = [
        ("a\x00b", "t\x00", "k\x00"),
        ("s" * 2_000, "t" * 300, "k" * 2_000),
        ("", "", ""),
        (None, None, None),
    ]
    result = store([(b"{}", *names) for names in odd], source="shop")
    assert (result.events, result.unchanged) == (4, 1)  # the last two are nameless, and equal
    assert store([(b"x" * 40_000_000,)]).counts == {("undecodable", "PayloadTooLarge"): 1}
    length = "SELECT headers, length(payload_raw) AS n FROM dlq_events"
    [kept] = rows(f"{length} WHERE error_class = 'PayloadTooLarge'")
    assert (kept["n"], kept["headers"]["dlq_bytes"]) == (1024**2, 40_000_000)
    assert len(rows(BOTH)) == 4


def empty_frames_thin_frames_and_frames_with_more_in_them(session, rows):
    empty = session.createDataFrame([], "value binary")
    assert run_handlers(empty).counts == {}
    thin = session.createDataFrame([(event("1"),)], "value binary").repartition(sized(4, 10_000))
    assert run_handlers(thin).enriched == 1
    more = ("struct(id, array(id) AS ids) AS more", "map('a', 1) AS other")
    nested = session.range(3).selectExpr("'{}' AS value", "id AS key", *more)
    assert run_handlers(nested, source="shop").events == 3
    register(session)
    nested.write.format("dlqconsole").mode("append").option("source", "web").save()
    assert len(rows(BOTH)) == 7


def two_jobs_of_one_source_at_once(session, rows):
    frame = session.createDataFrame(
        [(event(str(number)),) for number in range(3_000)], "value binary"
    ).repartition(4)
    results = at_once([lambda: run_handlers(frame)] * 2)
    assert sum(result.enriched for result in results) == 3_000
    assert [result.events for result in results] == [3_000, 3_000]
    assert len(rows(BOTH)) == 3_000


if SOAK:
    test_empty_frames_thin_frames_and_frames_with_more_in_them = pytest.mark.spark(
        empty_frames_thin_frames_and_frames_with_more_in_them
    )
    test_two_jobs_of_one_source_at_once = pytest.mark.spark(two_jobs_of_one_source_at_once)
