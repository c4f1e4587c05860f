"""format("dlqconsole") writes events as any sink does, and reads dead letters by the console's filter."""

from datetime import UTC, datetime

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.datasource import EqualTo, GreaterThan, GreaterThanOrEqual, In, IsNotNull, LessThan

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.pipeline.dataframes.data_source import ConsoleSource
from dlqconsole.pipeline.dataframes.filter_pushdown import STATUSES, LetterFilter, push_filters, ranges
from dlqconsole.spark import BadRequest, register
from tests.pipeline.hostile import event
from tests.sizes import sized

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def test_what_spark_pushes_down_narrows_the_options():
    wanted = LetterFilter.by_options(
        {"status": "PENDING,EXHAUSTED", "type": "order.created", "group_id": "-7,8"}
    )
    later, number = GreaterThan(("dead_lettered_at",), NEW_YEAR), EqualTo(("occurrences",), 2)
    naive = LessThan(("dead_lettered_at",), datetime(2026, 1, 1))
    filters = [
        In(("status",), ("PENDING", "DISCARDED")),
        EqualTo(("category",), "BUSINESS"),
        GreaterThanOrEqual(("dead_lettered_at",), NEW_YEAR),
        IsNotNull(("status",)),
    ]
    found, left = push_filters(wanted, [*filters, later, number, naive])
    assert left == [later, number, naive]
    assert found == LetterFilter(
        ("PENDING",), ("order.created",), category=("BUSINESS",), group_id=(-7, 8), since=NEW_YEAR
    )
    assert found.values["status"] == ["PENDING"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"group_id": "seven"}, "is not the number of a group"),
        ({"since": "yesterday"}, "is not a moment"),
        ({"status": "PENDING,PENDNG"}, "option status: there is no PENDNG"),
        ({"category": "BUSY"}, "option category: there is no BUSY"),
        ({"typ": "order.created"}, "there is no option typ; to read there are status, type,"),
    ],
)
def test_an_option_that_is_none_is_a_sentence(options, sentence):
    with pytest.raises(BadRequest, match=sentence):
        LetterFilter.by_options(options)


def test_an_option_to_write_that_is_none_is_a_sentence():
    with pytest.raises(
        BadRequest, match="there is no option sorce; to write there are url, handlers, source"
    ):
        ConsoleSource({"sorce": "shop"})._task(None)


def test_every_state_can_be_asked_for():
    assert set(STATUSES) == set(DeadLetterStatus)


def test_ids_are_cut_into_ranges_without_a_gap():
    for first, last, most in [(1, 1, 8), (5, 12, 8), (1, 1_000, 7), (3, 4, 1)]:
        found = list(ranges(first, last, most))
        assert [number for low, high in found for number in range(low, high + 1)] == list(
            range(first, last + 1)
        )
        assert len(found) <= most


@pytest.fixture
def registered(session):
    register(session)
    return session


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_what_is_written_is_read_again_by_filter(registered, rows):
    values = [event(str(number), do="business", tailnum=f"N{number}") for number in range(1, 7)]
    values += [event("7"), b'{"no": "event"', b'{"ce": 1}']
    frame = registered.createDataFrame(
        [(value, {"n": "1"}) for value in values], "value binary, headers map<string,string>"
    )
    frame.write.format("dlqconsole").mode("append").option("type", "order.created").save()
    [run] = rows("SELECT status, done, message FROM pipeline_runs")
    assert run == {"status": "completed", "done": 9, "message": "9 events, 2 enriched, 7 dead letters"}
    rows("UPDATE dlq_events SET status = 'DISCARDED' WHERE source_key = '1'")
    read = registered.read.format("dlqconsole").option("status", "PENDING").option("partitions", 3)
    letters = read.load().where("category = 'BUSINESS' AND key >= '3'").orderBy("key").collect()
    assert [letter.key for letter in letters] == ["3", "4", "5", "6"]
    assert letters[0].headers == {"n": "1"}
    assert letters[0].dead_lettered_at is not None
    [broken] = registered.read.format("dlqconsole").option("error_class", "MalformedEvent").load().collect()
    assert (bytes(broken.value), broken.status) == (b'{"no": "event"', "QUARANTINED")
    assert registered.read.format("dlqconsole").option("type", "nothing").load().count() == 0


@pytest.mark.spark
@pytest.mark.sized
@pytest.mark.django_db(transaction=True)
def test_a_stream_writes_to_it_and_a_wrong_frame_does_not(registered, rows, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(b"\n".join(event(str(number)) for number in range(20)))
    stream = registered.readStream.schema("value string").text(str(tmp_path / "in")).writeStream
    # that a checkpoint may be lost is told of foreachBatch in each run of the tests
    for checkpoint in ("one", "two")[: sized(1, 2)]:
        query = stream.format("dlqconsole").option("checkpointLocation", str(tmp_path / checkpoint))
        query.trigger(availableNow=True).start().awaitTermination()
    assert rows("SELECT count(*) AS n FROM enriched_events") == [{"n": 20}]
    first, *others = rows("SELECT status, done, counts FROM pipeline_runs ORDER BY id")
    assert (first["status"], first["done"]) == ("completed", 20)
    ends = [(other["status"], other["counts"]["unchanged"]) for other in others]
    assert ends == [("completed", 20)] * sized(0, 1)
    with pytest.raises(PySparkException, match="the frame has no column value") as refused:
        registered.range(3).write.format("dlqconsole").mode("append").save()
    assert "Traceback" not in str(refused.value).partition("JVM stacktrace")[0]
    for options, sentence in [
        ({"since": "yesterday"}, "option since: 'yesterday' is not a moment"),
        ({"partitions": "0"}, "option partitions is a number from 1 to 10,000"),
    ]:
        with pytest.raises(PySparkException) as refused:
            registered.read.format("dlqconsole").options(**options).load()
        assert sentence in str(refused.value).splitlines()[0]
    with pytest.raises(PySparkException, match="nothing be overwritten"):
        registered.range(3).write.format("dlqconsole").mode("overwrite").save()
