"""What SQS gave up becomes a dead letter once, and a revive sends it to the queue where it failed."""

import os
import sys

import pytest
from django.core.management import call_command
from django.db import connection

from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import ForwardedMessage
from tests.accounts import ALICE
from tests.asking import ask_for
from tests.operations.conftest import work
from tests.pipeline.conftest import database_url_as_url
from tests.starting import Popen
from tests.transports.sqs.conftest import Pair
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)
TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793"
ATTRIBUTES = {"tenant": {"DataType": "String", "StringValue": "t1"}}


def address_of_tests():
    given = connection.get_connection_params()
    names = ("host", "port", "user", "password", "dbname")
    return database_url_as_url(" ".join(f"{name}={given[name]}" for name in names if given.get(name)))


def revive():
    """Revive the only dead letter by an operation of the console."""
    ask_for("revive", actor=ALICE, ids=[DeadLetter.objects.get().pk])
    work()
    return relay.run_once()


@pytest.fixture
def given_up(pair, attached):
    """The id of a message that their consumers received and never deleted."""
    trace = {"AWSTraceHeader": {"DataType": "String", "StringValue": TRACE}}
    number = pair.send('{"order_id": 7}', MessageAttributes=ATTRIBUTES, MessageSystemAttributes=trace)
    pair.give_up()
    return number


def test_what_sqs_gave_up_is_a_dead_letter_with_all_that_is_known_of_it(pair, given_up, attached):
    assert relay.run_once()["dead-lettered"] == 1
    letter = DeadLetter.objects.get()
    assert (letter.queue, letter.source_key, letter.payload) == (attached.name, given_up, {"order_id": 7})
    assert (letter.status, letter.error_class) == ("EXHAUSTED", "DeliveriesExhausted")
    kept = letter.headers
    assert (kept["tenant"], kept["x-sqs-trace"], kept["x-sqs-dead-letter-queue"]) == (
        "t1",
        TRACE,
        pair.dead_name,
    )
    assert int(kept["x-sqs-receive-count"]) >= 1
    assert int(kept["x-sqs-sent-at-ms"]) > 0
    assert pair.waiting(pair.dead) == 0


def test_a_revive_sends_it_to_the_queue_where_it_failed_and_is_handed_over(pair, given_up, attached):
    relay.run_once()
    assert revive()["forwarded"] == 1
    [message] = pair.receive()
    letter = DeadLetter.objects.get()
    assert message["Body"] == '{"order_id": 7}'
    assert {name: each["StringValue"] for name, each in message["MessageAttributes"].items()} == {
        "tenant": "t1",
        "dlq_revive_id": f"dlq:{letter.pk}:1",
    }
    assert message["Attributes"]["AWSTraceHeader"] == TRACE
    relay.run_once()
    assert DeadLetter.objects.get().status == "REVIVED"
    call_command("attach", attached.name, "--handled", "--because", "billing has read all of it")
    assert DeadLetter.objects.get().status == "SUCCEEDED"


def test_what_fails_again_is_the_next_attempt_of_the_same_row(pair, given_up, attached):
    relay.run_once()
    revive()
    pair.give_up()
    assert relay.run_once()["dead-lettered"] == 1
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.occurrences) == ("EXHAUSTED", 2)
    assert not ForwardedMessage.objects.exists()
    kinds = Attempt.objects.order_by("pk").values_list("kind", "outcome")
    assert list(kinds) == [("queue", "failed"), ("revive", "failed")]


def test_a_fifo_queue_keeps_the_group_and_each_revival_is_new_to_it(sqs, transactional_db):
    pair = Pair(sqs, is_fifo=True)
    attachments.attach(f"sqs:{pair.dead_name}", actor="test")
    pair.send('{"order_id": 7}', MessageGroupId="customer-7", MessageDeduplicationId="first")
    pair.give_up()
    for number in (1, 2):
        assert relay.run_once()["dead-lettered"] == 1
        revive()
        [message] = pair.receive()
        attributes = message["Attributes"]
        assert attributes["MessageGroupId"] == "customer-7"
        assert attributes["MessageDeduplicationId"] == f"dlq:{DeadLetter.objects.get().pk}:{number}"
        pair.give_up()


def test_bytes_that_are_no_json_go_as_they_came(pair, attached):
    pair.send("no JSON <at all>")
    pair.give_up()
    relay.run_once()
    assert bytes(DeadLetter.objects.get().payload_raw) == b"no JSON <at all>"
    revive()
    assert [each["Body"] for each in pair.receive()] == ["no JSON <at all>"]


def test_a_relay_that_dies_between_store_and_delete_makes_no_second_row(pair, given_up, attached):
    attachments.attach(attached.name, actor="test", lease_seconds=1)
    process = Popen(
        [sys.executable, "manage.py", "relay", "--once"],
        env=os.environ
        | {"DATABASE_URL": address_of_tests(), "DLQ_CRASH_POINT": "adopt.kept", "DLQ_HTTPS": "false"},
    )
    assert process.wait(timeout=60) == -9
    assert DeadLetter.objects.count() == 1
    eventually(lambda: relay.run_once()["dead-lettered"] == 1)
    letter = DeadLetter.objects.get()
    assert (letter.source_key, letter.occurrences) == (given_up, 1)
    assert pair.waiting(pair.dead) == 0
