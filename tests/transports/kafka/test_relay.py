"""Revived dead letters are published: at least once, marked, to the topic that their queue names."""

import json
import os
import sys

import pytest
from django.core.management import call_command
from django.db import connection

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core.errors import InvalidQueue
from dlqconsole.engine.models import Attempt, AuditEntry, DeadLetter
from dlqconsole.operations import outcomes
from dlqconsole.operations.outcomes import MoveOutcomes, set_under_way
from dlqconsole.operations.receipts.outlook import outlook
from dlqconsole.retries.why import Circumstances, answer
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import ForwardedMessage
from tests.accounts import ALICE
from tests.asking import ask_for
from tests.operations.conftest import work
from tests.pipeline.conftest import database_url_as_url
from tests.plain_sql import rows
from tests.starting import Popen
from tests.transports.conftest import status

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
    assert status(number) == "REVIVED"


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


def said(number):
    return answer(DeadLetter.objects.get(pk=number), Circumstances.look()).sentence


def test_handed_over_to_nobody_known_it_is_no_success_until_somebody_says_so(attached, revived):
    """Nobody here can see whether a record was handled when its group is unknown."""
    number = revived()
    for _ in range(2):
        relay.run_once()
        assert status(number) == "REVIVED"
    assert f"It was handed over to {attached.name} at" in said(number)
    assert "Nobody there says what becomes of it" in said(number)
    call_command("attach", attached.name, "--handled", "--because", "billing has read all of it")
    assert status(number) == "SUCCEEDED"
    last = Attempt.objects.filter(dlq_event_id=number).last()
    assert (last.kind, last.outcome, last.worker) == (
        "revive",
        "succeeded",
        AuditEntry.objects.get(action="handled").actor,
    )
    assert AuditEntry.objects.get(action="handled").detail == {"succeeded": 1}
    assert not ForwardedMessage.objects.exists()


def test_what_comes_back_after_it_was_handed_over_is_the_same_dead_letter(attached, revived):
    number = revived()
    relay.run_once()
    fails_there(number)
    assert status(number) == "PENDING"
    assert not ForwardedMessage.objects.exists()
    assert attachments.note_handled(attached.name, actor="test") == 0
    assert status(number) == "PENDING"


def test_an_operation_counts_as_come_back_what_its_group_had_read_past(attached, letter, broker, topic):
    number = letter(queue=attached.name, headers='{"x-kafka-group": "billing"}')
    operation = revive([number])
    relay.run_once()
    assert moved(operation) == MoveOutcomes(failed_again=0, succeeded=0, under_way=1)
    assert "once its consumers there have completed it" in said(number)
    [record] = broker.records(topic)
    broker.commit("billing", topic, record.partition(), record.offset() + 1)
    relay.run_once()
    assert moved(operation) == MoveOutcomes(failed_again=0, succeeded=1)
    fails_there(number)
    assert moved(operation) == MoveOutcomes(failed_again=1, succeeded=0)
    assert DeadLetter.objects.get(pk=number).come_backs == 1


def test_an_operation_says_that_a_topic_says_nothing(attached, letter):
    operation = revive([letter(queue=attached.name)])
    relay.run_once()
    assert moved(operation) == MoveOutcomes(failed_again=0, succeeded=0, under_way=1)
    set_under_way([operation])
    assert f"{attached.name} does not say what becomes of what was handed over" in outlook(operation).sentence


def revive(ids):
    """Revive these by an operation."""
    operation = ask_for("revive", actor=ALICE, ids=ids)
    work()
    return operation


def fails_there(number):
    """Its consumers put it on their dead-letter topic, and the pipeline reads it there."""
    rows(
        "SELECT dead_letter_failed_there('kafka:dead/0-7', id, 1, source, source_key, payload, NULL,"
        " 'Refused: no', 'DEPENDENCY', '') FROM dlq_events WHERE id = %s",
        number,
    )


def moved(operation):
    operation.refresh_from_db()
    return outcomes.of_revival(operation)


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
