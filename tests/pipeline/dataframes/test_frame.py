"""The frames that are taken, and the identity of their rows."""

import pyarrow as pa
import pytest
from pyspark.sql import types

from dlqconsole.pipeline.dataframes.frame import is_stream, shape_of
from dlqconsole.pipeline.dataframes.rows import Naming, item_of_frame_record, item_of_row, records_of, rows_of
from dlqconsole.pipeline.dataframes.storing import attempts_of
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.processing.limits import DEFAULT_LIMITS
from tests.pipeline.hostile import event
from tests.pipeline.kafka.test_dialects import connect, share, spring, streams

TYPES = {
    "int": types.IntegerType(),
    "bigint": types.LongType(),
    "double": types.DoubleType(),
    "string": types.StringType(),
    "binary": types.BinaryType(),
    "timestamp": types.TimestampType(),
    "struct<a:int>": types.StructType([types.StructField("a", types.IntegerType())]),
    "map<string,int>": types.MapType(types.StringType(), types.IntegerType()),
    "map<string,string>": types.MapType(types.StringType(), types.StringType()),
    "map<string,binary>": types.MapType(types.StringType(), types.BinaryType()),
    "headers": types.ArrayType(
        types.StructType(
            [types.StructField("key", types.StringType()), types.StructField("value", types.BinaryType())]
        )
    ),
}
REFUSED = {
    "id int": "the frame has no column value, with the bytes of each event: it has id",
    "value struct<a:int>": r"the column value is of type struct<a:int>: it must be string, binary",
    "value binary, key double": "the column key is of type double",
    "value binary, key string": "the frame has keys: say whose they are",
    "value binary, headers map<string,int>": "the column headers is of type map<string,int>",
}


def schema_of(ddl: str) -> types.StructType:
    """Spark reads DDL by its JVM, which none of this needs."""
    named = [column.split(" ") for column in ddl.split(", ")]
    return types.StructType([types.StructField(name, TYPES[kind]) for name, kind in named])


@pytest.mark.parametrize("schema", REFUSED)
def test_a_frame_that_is_none_is_a_sentence(schema):
    with pytest.raises(BadRequest, match=REFUSED[schema]):
        shape_of(schema_of(schema))


def test_what_nobody_asked_for_is_left_where_it_is():
    schema = schema_of("id int, value string, key bigint, extra struct<a:int>")
    assert shape_of(schema, "shop").columns == ("value", "key")


def items(columns: dict, ddl: str, naming: Naming = Naming("shop", "order.created")):  # noqa: B008
    batch = pa.RecordBatch.from_pydict(columns)
    shape = shape_of(schema_of(ddl), naming.source)
    if shape.of_kafka:
        return [item_of_frame_record(*each, naming, DEFAULT_LIMITS) for each in records_of(batch, shape)]
    return [item_of_row(row, naming, DEFAULT_LIMITS) for row in rows_of(batch, shape)]


def names(columns: dict, ddl: str) -> list[tuple[str, str, str]]:
    return [(item.source, item.key, item.event_type) for item in items(columns, ddl)]


def test_an_event_is_what_it_says_or_what_its_row_says():
    columns = {"value": [event("7"), b"{}", b"{}"], "key": [1, 2, 2], "source": [None, "", "web"]}
    assert names(columns, "value binary, key int, source string") == [
        ("shop", "7", "order.created"),
        ("shop", "2", "order.created"),
        ("web", "2", "order.created"),
    ]


def test_rows_without_a_name_are_known_by_what_they_hold():
    """Never by their order, which is another one when the frame is read again."""
    [once, again, other, typed] = names(
        {"value": [b"{}", b"{}", b"[]", b"{}"], "type": [None, None, None, "order.paid"]},
        "value binary, type string",
    )
    assert once == again
    assert len({once[1], other[1], typed[1]}) == 3


def test_a_record_of_a_topic_is_known_by_its_place_and_not_by_its_key():
    columns = {
        "key": [b"customer-1", b"\xff", None],
        "value": [b"{}", b"{}", None],
        "topic": ["orders"] * 3,
        "partition": pa.array([0, 0, 1], pa.int32()),
        "offset": [4, 5, 6],
        "headers": [[{"key": "trace", "value": b"a"}], None, []],
    }
    ddl = "key binary, value binary, topic string, partition int, offset bigint, headers headers"
    first, second, tombstone = items(columns, ddl)
    assert [(item.source, item.key) for item in (first, second)] == [
        ("kafka:orders", "0-4"),
        ("kafka:orders", "0-5"),
    ]
    assert first.headers == {"trace": "a", "x-kafka-key": "customer-1"}
    assert second.headers == {"x-kafka-key": "base64:/w=="}
    assert tombstone is None


DIALECTS = {
    spring: "com.acme.Orders.AirportUnknown",
    connect: "org.apache.kafka.connect.errors.DataException",
    streams: "com.acme.AirportUnknown",
    share: "DeliveriesExhausted",
}


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.__name__)
def test_a_frame_of_a_dead_letter_topic_tells_of_the_failure_over_there(dialect):
    """The columns of Spark's own connector, with includeHeaders: what the ingest of topics understands."""
    headers = [{"key": name, "value": value} for name, value in [("trace", b"t1"), *dialect("orders")]]
    columns = {
        "key": [b"k1"],
        "value": [b"\x00\x07"],
        "topic": ["orders.DLT"],
        "partition": pa.array([2], pa.int32()),
        "offset": [0],
        "timestamp": pa.array([1_700_000_000_123_456], pa.timestamp("us", "UTC")),
        "timestampType": pa.array([0], pa.int32()),
        "headers": [headers],
    }
    ddl = (
        "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp,"
        " timestampType int, headers headers"
    )
    [item] = items(columns, ddl, Naming(revive_to="{topic}-retry"))
    assert (item.outcome.error_class, item.source, item.key) == (DIALECTS[dialect], "kafka:orders", "3-17")
    assert (item.event_type, item.queue, item.raw) == ("orders", "kafka:orders-retry", b"\x00\x07")
    assert (item.headers["trace"], item.headers["x-kafka-key"]) == ("t1", "k1")
    assert item.line.position["dlq_timestamp"] == "2023-11-14T22:13:20.123+00:00"
    [item] = items(columns | {"timestamp": ["noon"]}, ddl.replace("timestamp timestamp", "timestamp string"))
    assert (item.event_type, item.queue) == ("order.created", "kafka:orders")
    assert "dlq_timestamp" not in item.line.position


@pytest.mark.parametrize("value", [pa.string(), pa.binary()])
def test_headers_of_a_map_are_the_events_and_a_later_one_holds(value):
    kind = pa.map_(pa.string(), value)
    given = pa.array([[("ce_id", "9"), ("ce_id", "8")], None, [("empty", None)]], kind)
    columns = {"value": pa.array([b"{}"] * 3, pa.binary()), "headers": given}
    name = "string" if value == pa.string() else "binary"
    found = items(columns, f"value binary, headers map<string,{name}>")
    assert [item.headers for item in found] == [{"ce_id": "8"}, {}, {}]
    assert found[0].key == "8"


def test_half_a_batch_has_the_headers_of_its_own_rows():
    kind = pa.map_(pa.string(), pa.string())
    headers = pa.array([[("n", "0")], [("n", "1"), ("m", "1")], [("n", "2")]], kind)
    whole = pa.RecordBatch.from_pydict({"value": pa.array([b"{}"] * 3), "headers": headers})
    shape = shape_of(schema_of("value binary, headers map<string,string>"))
    assert [row.headers for row in rows_of(whole.slice(1), shape)] == [{"n": "1", "m": "1"}, {"n": "2"}]


def test_what_is_no_text_is_an_event_like_any_other():
    """Spark lets a string hold any bytes; of a value too long to keep the head is kept, and the hash."""
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.array([0, 2], pa.int32()).buffers()[1], pa.py_buffer(b"\xff\xfe")]
    )
    [item] = items({"value": broken}, "value string")
    assert item.outcome.error_class == "MalformedEvent"
    [long] = items({"value": [b"x" * (40 * 1024**2)]}, "value binary")
    assert (len(long.line.value), long.line.size) == (1024**2, 40 * 1024**2)
    assert long.outcome.error_class == "PayloadTooLarge"


ATTEMPTS = {
    ("local", 4): 1,
    ("local[2]", 4): 1,
    ("local[*]", 4): 1,
    ("local[2,3]", 4): 3,
    ("local[*,3]", 4): 3,
    ("local-cluster[2,1,1024]", 4): 4,
    ("spark://host:7077", 1): 1,
}


def test_a_session_says_how_often_it_tries_a_task():
    assert {given: attempts_of(*given) for given in ATTEMPTS} == ATTEMPTS


def test_what_is_no_frame_of_spark_is_told_by_its_name():
    with pytest.raises(BadRequest, match="this takes a DataFrame of Spark, not Table"):
        is_stream(pa.table({"value": [b"1"]}))
