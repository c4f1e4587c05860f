"""Dead-letter topics of others: each becomes a dead letter with its cause, and knows where it failed."""

import json
import struct

import pytest

from dlqconsole.pipeline.kafka.dialects import ForeignFailure, recognise, without_notes
from dlqconsole.pipeline.kafka.items import Destinations, check_choice

TRACE = (
    "org.springframework.kafka.listener.ListenerExecutionFailedException: Listener failed\n"
    "\tat org.springframework.kafka.listener.KafkaMessageListenerContainer.decorate(Container.java:2946)\n"
    "Caused by: com.acme.Orders$AirportUnknown: BQN is in no table\n"
    "\tat com.acme.Orders.enrich(Orders.java:42)\n"
)


def number(value):
    return struct.pack(">i", value)


def long(value):
    return struct.pack(">q", value)


def spring(topic, offset=17, partition=3, start="kafka_dlt-", **more):
    """The headers that Spring's DeadLetterPublishingRecoverer writes, with some changed."""
    values = {
        "exception-fqcn": b"org.springframework.kafka.listener.ListenerExecutionFailedException",
        "exception-cause-fqcn": b"com.acme.Orders$AirportUnknown",
        "exception-message": b"Listener failed; nested exception is",
        "exception-stacktrace": TRACE.encode(),
        "original-topic": topic.encode(),
        "original-partition": number(partition),
        "original-offset": long(offset),
        "original-timestamp": long(1_700_000_000_000),
        "original-timestamp-type": b"CreateTime",
        "original-consumer-group": b"billing",
    }
    return [(start + name, value) for name, value in {**values, **more}.items() if value is not None]


def connect(topic):
    values = {
        "topic": topic,
        "partition": "3",
        "offset": "17",
        "connector.name": "orders-sink",
        "task.id": "0",
        "stage": "VALUE_CONVERTER",
        "class.name": "org.apache.kafka.connect.json.JsonConverter",
        "exception.class.name": "org.apache.kafka.connect.errors.DataException",
        "exception.message": "Converting byte[] to Kafka Connect data failed",
        "exception.stacktrace": "org.apache.kafka.connect.errors.DataException: Converting …\n\tat …",
    }
    return [(f"__connect.errors.{name}", value.encode()) for name, value in values.items()]


def streams(topic):
    values = {
        "exception": b"com.acme.AirportUnknown",
        "message": b"BQN is in no table",
        "stacktrace": b"com.acme.AirportUnknown: BQN \xe2\x80\xa6",
        "topic": topic.encode(),
        "partition": number(3),
        "offset": long(17),
    }
    return [(f"__streams.errors.{name}", value) for name, value in values.items()]


def share(topic, offset=b"17"):
    values = {
        "topic": topic.encode(),
        "partition": b"3",
        "offset": offset,
        "group": b"billing",
        "delivery.count": b"5",
    }
    return [(f"__dlq.errors.{name}", value) for name, value in values.items()]


def put(broker, topic, headers, value="{}", **more):
    broker.put(topic, value, headers, **more)
    broker.settle()


@pytest.mark.parametrize(
    ("headers", "error_class", "reason", "group"),
    [
        (
            spring,
            "com.acme.Orders.AirportUnknown",
            "com.acme.Orders.AirportUnknown: BQN is in no table",
            "billing",
        ),
        (
            connect,
            "org.apache.kafka.connect.errors.DataException",
            "org.apache.kafka.connect.errors.DataException: Converting byte[] to Kafka Connect data failed"
            " [VALUE_CONVERTER]",
            "connect-orders-sink",
        ),
        (streams, "com.acme.AirportUnknown", "com.acme.AirportUnknown: BQN is in no table", None),
        (
            share,
            "DeliveriesExhausted",
            "DeliveriesExhausted: delivered 5 times and never accepted",
            "billing",
        ),
    ],
)
def test_each_dialect_becomes_a_dead_letter(broker, ingest_topic, rows, headers, error_class, reason, group):
    topic, dead = broker.topic(), broker.topic("dead")
    avro = b"\x00\x00\x00\x00\x07\x0eBQN"
    own = [("trace", b"t1"), ("blob", b"\xff")]
    put(broker, dead, [*own, *headers(topic)], avro, key=b"k1", partition=2)
    assert ingest_topic(dead) == {error_class: 1}
    [letter] = rows("SELECT * FROM dlq_events")
    assert (letter["error_class"], letter["error_reason"]) == (error_class, reason)
    assert (letter["source"], letter["source_key"]) == (f"kafka:{topic}", "3-17")
    assert (letter["queue"], letter["event_type"], letter["status"]) == (f"kafka:{topic}", topic, "PENDING")
    assert (bytes(letter["payload_raw"]), letter["payload"]) == (avro, None)
    kept = letter["headers"]
    assert kept["dlq_original"] == f"kafka:{topic}/3-17"
    assert kept["dlq_record"] == f"kafka:{dead}/2-0"
    assert (kept["x-kafka-key"], kept["trace"], kept["blob"]) == ("k1", "t1", "base64:/w==")
    assert kept.get("x-kafka-group") == group
    assert not [name for name in kept if "error" in name or "kafka_dlt" in name]
    assert ingest_topic(dead) == {}


def test_spring_s_failures_group_by_their_cause(broker, ingest_topic, rows):
    topic, dead = broker.topic(), broker.topic("dead")
    for offset, cause in enumerate([b"com.acme.A", b"com.acme.A", b"com.acme.B"]):
        trace = b"x\nCaused by: " + cause + b": no\n\tat com.acme.Some.where(Some.java:1)"
        put(
            broker,
            dead,
            spring(topic, offset, **{"exception-cause-fqcn": cause, "exception-stacktrace": trace}),
        )
    ingest_topic(dead)
    assert len(rows("SELECT DISTINCT group_id FROM dlq_events")) == 2


@pytest.mark.parametrize(
    "broken",
    [
        {"original-partition": b"\x00\x00\x03"},
        {"original-offset": b""},
        {"original-offset": long(-1)},
        {"original-topic": b"\xff\x00"},
        {"original-topic": None, "original-partition": None},
        {"exception-stacktrace": b"\xff\xfe\x00" * 50_000},
        {"exception-cause-fqcn": b"\x00", "exception-fqcn": None, "exception-message": None},
        {"original-timestamp": b"\x7f" + b"\xff" * 7},
    ],
)
def test_malformed_headers_never_lose_the_event(broker, ingest_topic, rows, broken):
    topic, dead = broker.topic(), broker.topic("dead")
    put(broker, dead, spring(topic, **broken), '{"order_id": 1}')
    assert sum(ingest_topic(dead).values()) == 1
    [letter] = rows("SELECT * FROM dlq_events")
    assert letter["payload"] == {"order_id": 1}
    place = letter["headers"].get("dlq_original")
    assert letter["source_key"] == ("3-17" if place else "0-0")


def test_retry_topics_of_spring_keep_the_first_place(broker, ingest_topic, rows):
    topic, dead = broker.topic(), broker.topic("dead")
    again = [("kafka_original-topic", b"orders-retry-1"), ("kafka_original-offset", long(99))]
    put(broker, dead, [*spring(topic, start="kafka_"), *again, ("retry_topic-attempts", number(4))])
    ingest_topic(dead)
    [letter] = rows("SELECT * FROM dlq_events")
    assert (letter["source"], letter["source_key"]) == (f"kafka:{topic}", "3-17")
    assert letter["headers"]["dlq_deliveries"] == 4


def test_a_share_group_s_payload_is_fetched_from_where_it_failed(broker, ingest_topic, rows):
    topic, dead = broker.topic(), broker.topic("dead")
    put(broker, topic, [("trace", b"t1")], b"\xff\x01", key=b"k1", partition=3)
    put(broker, dead, share(topic, b"0"), None)
    put(broker, dead, share(topic, b"5"), None)  # nothing stands there
    assert ingest_topic(dead) == {"DeliveriesExhausted": 2}
    found, missing = rows("SELECT * FROM dlq_events ORDER BY source_key")
    assert bytes(found["payload_raw"]) == b"\xff\x01"
    assert (found["headers"]["x-kafka-key"], found["headers"]["trace"]) == ("k1", "t1")
    assert found["headers"]["dlq_payload"] == "fetched from where it failed"
    assert (bytes(missing["payload_raw"]), missing["headers"]["x-kafka-tombstone"]) == (b"", "true")


def test_what_was_revived_and_fails_again_is_the_same_dead_letter(broker, ingest_topic, rows):
    topic, dead = broker.topic(), broker.topic("dead")
    put(broker, dead, spring(topic))
    ingest_topic(dead)
    [letter] = rows("SELECT id FROM dlq_events")
    rows("SELECT dead_letter_revive(%s)", letter["id"])
    ours = [("x-dlq-event-id", str(letter["id"]).encode()), ("x-dlq-revive-seq", b"1")]
    put(broker, dead, [*ours, *spring(topic, 99, **{"exception-cause-fqcn": b"com.acme.Other"})])
    assert ingest_topic(dead) == {}
    [again] = rows("SELECT status, occurrences, error_class, revive_count FROM dlq_events")
    assert again == {
        "status": "PENDING",
        "occurrences": 2,
        "error_class": "com.acme.Other",
        "revive_count": 1,
    }
    rows("DELETE FROM source_positions")  # read again, it is no third failure
    assert ingest_topic(dead) == {"unchanged": 1}
    assert rows("SELECT occurrences FROM dlq_events") == [{"occurrences": 2}]
    assert [row["kind"] for row in rows("SELECT kind FROM dlq_attempts ORDER BY id")] == [
        "reported",
        "revive",
    ]


def test_a_cloudevent_that_fails_once_more_opens_its_dead_letter_again(broker, ingest_topic, rows):
    topic, dead = broker.topic(), broker.topic("dead")
    event = json.dumps({"specversion": "1.0", "id": "e1", "source": "/shop", "type": "order.created"})
    put(broker, dead, spring(topic), event)
    ingest_topic(dead)
    rows("UPDATE dlq_events SET status = 'DISCARDED'")
    put(broker, dead, spring(topic, 18), event)
    ingest_topic(dead)
    assert rows("SELECT status, occurrences FROM dlq_events") == [{"status": "PENDING", "occurrences": 2}]
    put(broker, dead, spring(topic, 19), event.replace("created", "changed"))
    assert sum(ingest_topic(dead).values()) == 1
    assert len(rows("SELECT id FROM dlq_events WHERE same_id_as IS NOT NULL")) == 1


def test_our_own_revive_read_from_a_topic_is_tried_again(broker, ingest_topic, rows):
    topic = broker.topic()
    event = {"specversion": "1.0", "id": "e1", "source": "/shop", "type": "order.created"}
    put(broker, topic, [], json.dumps({**event, "data": {"order_id": 1, "do": "business"}}))
    assert ingest_topic(topic) == {"PlaneUnknown": 1}
    ours = [("x-dlq-event-id", b"1"), ("x-dlq-revive-seq", b"1")]
    put(broker, topic, ours, json.dumps({**event, "data": {"order_id": 1}}))
    assert ingest_topic(topic) == {"enriched": 1}
    assert rows("SELECT source_key FROM enriched_events") == [{"source_key": "e1 revived 1-1"}]


def test_what_nobody_noted_is_no_dead_letter():
    assert recognise((("kafka_receivedTopic", b"orders"), ("trace", b"t1"))) is None
    assert without_notes(
        ((f"{spring.__name__}", b"x"), *spring("orders"), ("retry_topic-attempts", b"1"))
    ) == (("spring", b"x"),)


TOPICS = frozenset(
    {"orders", "orders-retry-1000", "orders-retry-200", "orders-dlt", "paid", "paid-billing-retry"}
)


@pytest.mark.parametrize(
    ("choice", "topic", "group", "queue"),
    [
        ("retry", "orders", None, "kafka:orders-retry-200"),
        ("retry", "paid", "billing", "kafka:paid-billing-retry"),
        ("retry", "paid", "shipping", "kafka:paid"),
        ("retry", None, None, "kafka:dead"),
        ("origin", "orders", None, "kafka:orders"),
        ("{topic}.{group}.again", "orders", "billing", "kafka:orders.billing.again"),
    ],
)
def test_a_revive_goes_to_who_failed(choice, topic, group, queue):
    assert (
        Destinations(check_choice(choice), TOPICS).of("dead", ForeignFailure("x", topic=topic, group=group))
        == queue
    )
