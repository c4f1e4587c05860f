"""Topics are read by position into both tables: nothing lost, nothing twice, nothing changed to the byte."""

import json

import pytest

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.kafka.client import Cluster, KafkaAway
from dlqconsole.pipeline.kafka.reading import DataLoss, OffsetRange, at_most, read_range
from dlqconsole.pipeline.kafka.records import KEY, as_json, as_raw

TYPE = [("ce_type", b"order.created")]


def order(number, **more):
    return json.dumps({"order_id": number, **more})


def fill(broker, topic, records, partitions=4):
    for number in range(records):
        broker.put(topic, order(number), TYPE, partition=number % partitions)
    broker.settle()


def test_each_record_is_one_event_known_by_its_place(broker, ingest_topic, rows):
    topic = broker.topic()
    fill(broker, topic, 40)
    assert ingest_topic(topic) == {"enriched": 40}
    found = rows("SELECT source, source_key FROM enriched_events")
    assert {row["source"] for row in found} == {f"kafka:{topic}"}
    assert sorted(row["source_key"] for row in found) == sorted(f"{n % 4}-{n // 4}" for n in range(40))
    assert ingest_topic(topic) == {}  # its position is kept
    fill(broker, topic, 8)
    assert ingest_topic(topic) == {"enriched": 8}


def test_without_the_ledger_everything_is_read_again_and_is_unchanged(broker, ingest_topic, rows):
    topic = broker.topic()
    fill(broker, topic, 40)
    broker.put(topic, order(99, do="business"), TYPE)
    broker.settle()
    assert ingest_topic(topic) == {"enriched": 40, "PlaneUnknown": 1}
    rows("DELETE FROM source_positions")
    assert ingest_topic(topic) == {"unchanged": 41}


def test_a_cloudevent_is_its_source_and_id_wherever_it_stands(broker, ingest_topic, rows):
    topic = broker.topic()
    event = {
        "specversion": "1.0",
        "id": "e1",
        "source": "/shop",
        "type": "order.created",
        "data": {"order_id": 1},
    }
    broker.put(topic, json.dumps(event))
    broker.put(topic, order(2), [*TYPE, ("ce_source", b"/shop"), ("ce_id", b"e2")], partition=1)
    broker.put(topic, json.dumps(event), partition=2)
    broker.settle()
    assert ingest_topic(topic) == {"enriched": 2, "unchanged": 1}
    found = rows("SELECT source, source_key FROM enriched_events ORDER BY source_key")
    assert [(row["source"], row["source_key"]) for row in found] == [("/shop", "e1"), ("/shop", "e2")]


def test_what_fails_keeps_its_bytes_key_headers_and_place(broker, ingest_topic, rows):
    topic = broker.topic()
    headers = [*TYPE, ("trace", b"t1"), ("trace", b"t2"), ("blob", b"\x00\xff"), ("none", None)]
    broker.put(topic, b"\x00\xff not JSON", headers, key=b"\xfe key", partition=3)
    broker.settle()
    assert ingest_topic(topic) == {"MalformedEvent": 1}
    [letter] = rows("SELECT * FROM dlq_events")
    assert bytes(letter["payload_raw"]) == b"\x00\xff not JSON"
    assert (letter["source"], letter["source_key"], letter["queue"]) == (f"kafka:{topic}", "3-0", None)
    kept = letter["headers"]
    assert kept.pop("dlq_record") == f"kafka:{topic}/3-0"
    assert kept.pop("dlq_timestamp").endswith("+00:00")
    raw, key = as_raw(kept)
    assert (sorted(raw, key=str), key) == (sorted(headers, key=str), b"\xfe key")


def test_a_tombstone_is_no_event(broker, ingest_topic, rows):
    topic = broker.topic()
    broker.put(topic, None, key=b"gone")
    broker.settle()
    assert ingest_topic(topic) == {}
    assert rows("SELECT counts ->> 'blank' AS blank FROM pipeline_runs")[0]["blank"] == "1"


def test_rounds_take_no_more_than_was_said(broker, ingest_topic, options_for, rows):
    topic = broker.topic()
    fill(broker, topic, 40)
    assert ingest_topic(topic, maxOffsetsPerTrigger="16") == {"enriched": 40}
    ranges = [OffsetRange("t", 0, 0, 900), OffsetRange("t", 1, 50, 150), OffsetRange("t", 2, 7, 8)]
    assert [each.size for each in at_most(ranges, 100)] == [89, 9, 1]
    assert at_most(ranges, 5_000) == ranges


def test_begin_and_end_are_chosen(broker, ingest_topic):
    topic = broker.topic()
    fill(broker, topic, 40)
    starting, ending = json.dumps({topic: {"0": 8, "1": -1}}), json.dumps({topic: {"2": 3}})
    assert ingest_topic(topic, startingOffsets=starting, endingOffsets=ending) == {"enriched": 2 + 0 + 3 + 10}


def test_what_was_gone_before_it_was_read_ends_the_job_or_is_counted_and_named(broker, ingest_topic, rows):
    topic = broker.topic()
    for _ in range(12):  # this broker keeps 5 MB of a partition
        broker.put(topic, json.dumps({"order_id": 1, "text": "x" * 700_000}), TYPE)
    broker.settle()
    with pytest.raises(DataLoss, match=f"{topic} partition 0 has nothing from 0 up to") as refused:
        ingest_topic(topic, startingOffsets=json.dumps({topic: {"0": 0}}))
    assert "failOnDataLoss=false" in str(refused.value)
    found = ingest_topic(topic, startingOffsets=json.dumps({topic: {"0": 0}}), failOnDataLoss="false")
    assert found["lost"] + found["enriched"] == 12
    assert found["lost"] > 0
    assert len(ingest_topic.lost) == 1


def test_what_goes_between_plan_and_read_is_lost_too(broker, options_for):
    topic = broker.topic()
    for _ in range(12):
        broker.put(topic, "x" * 700_000)
    broker.settle()
    with pytest.raises(DataLoss):
        list(read_range(options_for(topic), OffsetRange(topic, 0, 0, 12)))
    left = list(read_range(options_for(topic, failOnDataLoss="false"), OffsetRange(topic, 0, 0, 12)))
    assert [record.offset for record in left] == list(range(12 - len(left), 12))
    assert 0 < len(left) < 12


def test_a_topic_that_was_made_anew_is_said_or_read_from_its_beginning(broker, ingest_topic, rows):
    topic = broker.topic()
    fill(broker, topic, 8)
    ingest_topic(topic)
    rows("UPDATE source_positions SET position = position + 1000")
    with pytest.raises(DataLoss, match="it was made anew, or lost its end"):
        ingest_topic(topic)
    assert ingest_topic(topic, failOnDataLoss="false") == {"unchanged": 8}
    assert {row["position"] for row in rows("SELECT position FROM source_positions")} == {2}


def test_clusters_are_told_apart(broker, options_for):
    with Cluster(options_for("orders").client) as cluster:
        assert cluster.name.startswith("mockCluster")


def test_a_broker_that_is_away_is_one_sentence(monkeypatch):
    from dlqconsole.pipeline.kafka import client

    monkeypatch.setattr(client, "ANSWER_SECONDS", 0.5)
    asked = Cluster({"bootstrap.servers": "127.0.0.1:1", "sasl.password": "s3cret"})
    with asked, pytest.raises(KafkaAway, match=r"^Kafka at 127.0.0.1:1 does not answer: ") as away:
        asked.topics()
    assert "s3cret" not in str(away.value)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"subscribe": ""}, "subscribe is missing"),
        ({"subscribe": "a b"}, "'a b' is not a topic's name"),
        ({"subscribePattern": "a.*"}, "there is no option 'subscribePattern' here"),
        ({"maxOffsetsPerTriger": "5"}, "there is no option 'maxOffsetsPerTriger' here"),
        ({"maxOffsetsPerTrigger": "-5"}, "maxOffsetsPerTrigger is a whole number"),
        ({"startingOffsets": "soon"}, "startingOffsets is latest or earliest or offsets like"),
        ({"endingOffsets": "earliest"}, "endingOffsets is latest or offsets like"),
        ({"startingOffsets": '{"orders": {"0": "x"}}'}, "startingOffsets is"),
        ({"kafka.bootstrap.servers": ""}, "kafka.bootstrap.servers is missing"),
    ],
)
def test_a_wrong_option_is_one_sentence_without_its_value(options_for, given, sentence):
    with pytest.raises(BadRequest) as refused:
        options_for(**{"topic": "orders", **given})
    assert sentence in str(refused.value)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("name", ["security.protocol", "max.poll.interval.ms", "no.such.property"])
def test_what_the_client_refuses_is_one_sentence_without_its_value(options_for, name):
    options = options_for("orders", **{f"kafka.{name}": "s3cret"})
    assert "s3cret" not in repr(options)
    with pytest.raises(BadRequest) as refused:
        Cluster(options.client)
    assert "s3cret" not in str(refused.value)
    assert name in str(refused.value)


def test_headers_come_back_to_the_byte():
    headers = (("a", b"text"), ("a", b"base64:AA=="), ("b", None), ("c", b""), ("d", "Žofie".encode()))
    listed = as_json(headers, b"\x00")
    assert listed["d"] == "Žofie"
    assert listed[KEY].startswith("base64:")
    assert as_raw(json.loads(json.dumps(listed))) == (headers, b"\x00")
    assert as_raw({"n": 5, "bad": "base64:?"}) == ((("n", b"5"), ("bad", b"base64:?")), None)
