"""Revived dead letters are published: at least once, marked, to the topic that their queue names."""

import json
import os
import sys

import pytest
from django.db import connection

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core.errors import InvalidQueue
from dlqconsole.engine.models import Attempt
from dlqconsole.transports import relay
from dlqconsole.transports.models import ForwardedMessage
from tests.pipeline.conftest import database_url_as_url
from tests.starting import Popen
from tests.transports.kafka.conftest import rows, status

pytestmark = pytest.mark.django_db(transaction=True)


def headers_of(record):
    return {name: value and value.decode() for name, value in record.headers() or ()}


def test_a_revive_publishes_the_record_that_failed(attached, revived, broker, topic):
    headers = {"trace": "t1", "x-kafka-key": "k1", "dlq_record": "kafka:dead/0-1"}
    number = revived(
        source=f"kafka:{topic}", source_key="3-17", headers=json.dumps(headers), event_type=topic
    )
    assert relay.run_once()["forwarded"] == 1
    [record] = broker.records(topic)
    assert (record.key(), json.loads(record.value())) == (b"k1", {"order_id": 1})
    assert headers_of(record) == {
        "trace": "t1",
        "x-dlq-event-id": str(number),
        "x-dlq-revive-seq": "1",
        "dlq_revive_id": f"dlq:{number}:1",
    }
    assert status(number) == "SUCCEEDED"
    assert Attempt.objects.filter(dlq_event_id=number).last().worker == f"delivered to {attached.name}"


def test_bytes_that_are_no_json_go_as_they_are(attached, letter, broker, topic):
    number = letter(topic, None, payload_raw=b"\x00\x01avro", queue=attached.name)
    rows("SELECT dead_letter_revive(%s)", number)
    assert relay.run_once()["forwarded"] == 1
    assert [record.value() for record in broker.records(topic)] == [b"\x00\x01avro"]


def test_where_the_group_is_known_it_has_succeeded_once_the_group_has_read_past_it(revived, broker, topic):
    number = revived(headers='{"x-kafka-group": "billing", "x-kafka-key": "k1"}')
    assert relay.run_once()["left"] == 0
    [record] = broker.records(topic)
    assert status(number) == "REVIVED"
    broker.commit("billing", topic, record.partition(), record.offset())
    assert relay.run_once()["left"] == 0
    broker.commit("billing", topic, record.partition(), record.offset() + 1)
    assert relay.run_once()["left"] == 1
    assert status(number) == "SUCCEEDED"


def test_killed_between_kafka_and_our_commit_it_is_there_twice_under_one_revive_id(revived, broker, topic):
    number = revived()
    given = connection.get_connection_params()
    names = {"host": "host", "port": "port", "user": "user", "password": "password", "dbname": "dbname"}
    conninfo = " ".join(f"{name}={given[key]}" for key, name in names.items() if given.get(key))
    environment = os.environ | {
        "DATABASE_URL": database_url_as_url(conninfo),
        "DLQ_KAFKA_SERVERS": broker.servers,
        "DLQ_HTTPS": "false",
    }
    process = Popen([sys.executable, "-m", "tests.transports.kafka.dies_after_sending"], env=environment)
    assert process.wait(timeout=60) == -9
    assert status(number) == "REVIVED"
    assert not ForwardedMessage.objects.exists()
    assert relay.run_once()["forwarded"] == 1
    twice = [headers_of(record)["dlq_revive_id"] for record in broker.records(topic)]
    assert twice == [f"dlq:{number}:1"] * 2
    assert status(number) == "SUCCEEDED"


def test_what_a_topic_cannot_take_comes_back_with_its_reason(attached, letter):
    number = letter("order.created", None, payload_raw=b"x" * 2_000_000, queue=attached.name)
    rows("SELECT dead_letter_revive(%s)", number)
    relay.run_once()
    assert status(number) == "PENDING"
    [(reason,)] = rows("SELECT error_reason FROM dlq_events")
    assert reason.startswith(f"NotForwarded: {attached.name} did not take it: The record cannot be sent")


def test_our_consumers_refuse_it(attached):
    with pytest.raises(InvalidQueue, match="cannot be consumed"):
        Consumer([attached.name]).run(until_empty=True)
