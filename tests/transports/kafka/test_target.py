"""The shared suite, as far as the flags of Kafka say; and what a topic is not."""

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.core.errors import EngineError, InvalidMessage, UnknownQueue
from dlqconsole.transports import attachments, registry
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.kafka import records
from dlqconsole.transports.kafka.target import KafkaTarget
from tests.transports.conformance import Bench, SendingConformance

pytestmark = pytest.mark.django_db(transaction=True)


class TestKafka(SendingConformance):
    @pytest.fixture
    def bench(self, source, topic, transactional_db) -> Bench:
        return Bench(source, topic, "no topic", f"kafka:{topic}", lambda: None)

    @pytest.fixture
    def sent(self, broker, topic):
        """What stands on the topic: payload and headers."""

        def read():
            return [
                (each.value(), {name: value.decode() for name, value in each.headers() or ()})
                for each in broker.records(topic)
            ]

        return read


def test_keys_bytes_and_headers_are_those_of_the_record(source, broker, topic):
    headers = {"x-kafka-key": "base64:/w==", "many": ["a", "base64:AP8="], "none": None, "x-kafka-group": "g"}
    assert source.send(topic, b"\xff\x00", headers, dedupe_key="dlq:5:1").endswith("@g")
    assert source.send(topic, b"", {"x-kafka-tombstone": "true"}).count("-") == 1
    first, gone = sorted(broker.records(topic), key=lambda each: each.value() or b"", reverse=True)
    assert (first.key(), first.value()) == (b"\xff", b"\xff\x00")
    assert sorted(first.headers(), key=str) == sorted(
        [("many", b"a"), ("many", b"\x00\xff"), ("none", None), ("dlq_revive_id", b"dlq:5:1")], key=str
    )
    assert (gone.key(), gone.value(), gone.headers()) == (None, None, None)


def test_a_key_goes_where_java_s_producers_put_it(source, topic):
    # murmur2 of these keys, modulo four
    assert [source.send(topic, "{}", {"x-kafka-key": key}).split("-")[0] for key in ("21", "foobar")] == [
        "0",
        "2",
    ]


def test_nobody_consumes_a_topic_through_a_queue(attached, source):
    with pytest.raises(
        CommandError, match=r"cannot be consumed\. Kafka's topics are read by position"
    ) as refused:
        call_command("consume", attached.name, "--until-empty")
    assert "pipeline ingest --source kafka://" in str(refused.value)


def test_its_figures_are_what_the_topic_keeps(attached, source, topic):
    for number in range(3):
        source.send(topic, f'{{"n": {number}}}')
    metrics = source.metrics(topic)
    assert (metrics.visible, metrics.in_flight, metrics.scheduled, metrics.oldest_due_seconds) == (
        3,
        0,
        0,
        None,
    )
    [listed] = attachments.attachments(None)
    assert (listed.metrics, listed.problem) == (metrics, "")


def test_what_cannot_be_is_refused_with_one_sentence(source, topic, settings):
    for wrong, kind in (
        (lambda: source.send(topic, "x" * 2_000_000), InvalidMessage),
        (lambda: source.send(topic, "{}", delay_seconds=5), InvalidMessage),
        (lambda: source.metrics("no topic"), UnknownQueue),
    ):
        with pytest.raises(kind) as refused:
            wrong()
        assert str(refused.value).endswith(".")


def test_a_kafka_that_is_not_there_or_not_configured_is_said(settings, monkeypatch):
    settings.DLQ_KAFKA_SERVERS = ""
    with pytest.raises(TransportUnavailable, match="set DLQ_KAFKA_SERVERS"):
        registry.transport_of("kafka:orders")
    monkeypatch.setattr(records, "DELIVERY_SECONDS", 1.0)
    with pytest.raises(EngineError, match=r"Kafka at 127\.0\.0\.1:1 did not take a record of 'orders'"):
        KafkaTarget({"bootstrap.servers": "127.0.0.1:1"}).send("orders", "{}")
