"""Topics as a frame and as a stream of Spark, with the columns of its own connector."""

import json

import pytest

from tests.sizes import SOAK


def test_a_batch_of_a_stream_ends_at_the_limit_and_where_the_stream_was_told(broker, options_for):
    from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

    from dlqconsole.pipeline.kafka.data_source import _Stream

    topic = broker.topic()
    for number in range(40):
        broker.put(topic, b"x", partition=number % 4)
    broker.settle()
    stream = _Stream(options_for(topic, maxOffsetsPerTrigger="16"))
    begin = stream.initialOffset()
    assert begin == {topic: dict.fromkeys("0123", 0)}
    assert stream.getDefaultReadLimit() == ReadMaxRows(16)
    assert stream.latestOffset(begin, ReadMaxRows(16)) == {topic: dict.fromkeys("0123", 4)}
    stream.prepareForTriggerAvailableNow()
    broker.put(topic, b"more")
    broker.settle()
    end = stream.latestOffset(begin, ReadAllAvailable())
    assert end == {topic: dict.fromkeys("0123", 10)}
    assert stream.latestOffset(end, ReadMaxRows(16)) == end
    assert [part.value.size for part in stream.partitions(begin, end)] == [10] * 4


@pytest.fixture
def session(spark, database_url):
    from pyspark.sql import SparkSession

    from dlqconsole.pipeline.kafka.data_source import register_kafka

    session = SparkSession.builder.getOrCreate()
    register_kafka(session)
    return session


if SOAK:

    @pytest.mark.spark
    def test_a_topic_is_a_frame_and_a_stream(broker, session, tmp_path):
        topic = broker.topic()
        headers = [("a", b"\xff"), ("a", None)]
        for number in range(40):
            broker.put(topic, b"\x00%d" % number, headers, key=b"k", partition=number % 4)
        broker.settle()
        options = {"kafka.bootstrap.servers": broker.servers, "subscribe": topic}
        frame = session.read.format("dlqconsole_kafka").options(**options)
        found = frame.option("endingOffsets", json.dumps({topic: {"0": 5}})).load().collect()
        assert len(found) == 35
        [first] = [row for row in found if (row.partition, row.offset) == (1, 0)]
        assert (bytes(first.value), bytes(first.key), first.topic) == (b"\x001", b"k", topic)
        assert [(name, value and bytes(value)) for name, value in first.headers] == headers
        assert first.timestamp.year >= 2023

        def drain() -> list[int]:
            batches: list[int] = []
            stream = session.readStream.format("dlqconsole_kafka").options(**options)
            stream = stream.option("startingOffsets", "earliest").load()
            writing = stream.writeStream.foreachBatch(lambda batch, _number: batches.append(batch.count()))
            query = writing.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start()
            assert query.awaitTermination(120)
            return [count for count in batches if count]

        assert drain() == [40]
        broker.put(topic, b"more", partition=2)
        broker.settle()
        assert drain() == [1]  # its checkpoint knows what was read
