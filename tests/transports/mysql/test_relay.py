"""The relay between our database and MySQL's, which cannot commit together."""

import pytest
from django.db import transaction

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import ForwardedMessage
from dlqconsole.transports.relay import steps
from tests.plain_sql import execute, value
from tests.threads import at_once
from tests.transports.conftest import status

pytestmark = pytest.mark.django_db(transaction=True)

NOWHERE = "mysql://nobody:nothing@127.0.0.1:1/none"


@pytest.fixture
def mysql(transactional_db, mysql_transport):
    """A MySQL queue that was attached."""
    return attachments.attach("mysql:orders", actor="test")


@pytest.fixture
def revived(mysql, letter):
    """revived() makes a dead letter of the MySQL queue and revives it; its id."""

    def revive(payload='{"order_id": 1}', **columns):
        number = letter("order.created", payload, queue=mysql.name, **columns)
        assert value("SELECT dead_letter_revive(%s)", number)
        return number

    return revive


def test_there_and_back_again(mysql, revived, mysql_transport):
    number = revived(headers='{"trace": "t1"}')
    assert relay.run_once()["forwarded"] == 1
    [delivery] = mysql_transport.claim("orders", 10, "theirs", 60)
    assert (delivery.payload, delivery.headers["trace"]) == ('{"order_id": 1}', "t1")
    assert delivery.headers["x-dlq-event-id"] == str(number)
    assert (relay.run_once()["left"], status(number)) == (0, "REVIVED")
    mysql_transport.complete([delivery])
    assert (relay.run_once()["left"], status(number)) == (1, "SUCCEEDED")
    assert not ForwardedMessage.objects.exists()


def test_what_fails_again_is_the_same_dead_letter(mysql, revived):
    number = revived(payload='{"order_id": 1, "do": "business"}')
    relay.run_once()
    Consumer([mysql.name]).run(until_empty=True)
    relay.run_once()
    letter = DeadLetter.objects.get()
    assert (letter.pk, letter.status, letter.error_class) == (number, "PENDING", "PlaneUnknown")
    assert not ForwardedMessage.objects.exists()


def test_what_their_consumers_never_complete_is_a_dead_letter(mysql, mysql_transport):
    mysql_transport.send("orders", '{"n": 1}')
    for _ in range(6):
        mysql_transport.release(mysql_transport.claim("orders", 1, "theirs", 60))
    assert relay.run_once()["dead-lettered"] == 1
    letter = DeadLetter.objects.get()
    assert letter.error_reason == "DeliveriesExhausted: read 6 times and never completed"
    assert (letter.queue, letter.source, letter.event_type) == ("mysql:orders", "mysql:orders", "orders")
    assert mysql_transport.metrics("orders").visible == 0


def test_dying_between_the_two_databases_sends_nothing_twice(mysql, revived, mysql_transport):
    number = revived()
    execute("INSERT INTO message_queue (queue, payload) VALUES ('mysql:orders', '{\"n\": 2}')")
    for _ in range(3):
        with transaction.atomic():
            assert steps.forward(mysql, 500) == 2
            transaction.set_rollback(True)  # as if we had died before our own commit
    assert Message.objects.count() == 2
    assert relay.run_once()["forwarded"] == 2
    assert len(mysql_transport.claim("orders", 10, "theirs", 60)) == 2
    assert (status(number), Message.objects.count()) == ("REVIVED", 0)


def test_four_relays_at_once_send_each_message_once(mysql, mysql_transport):
    execute(
        "INSERT INTO dlq_events (event_type, payload, queue, error_reason)"
        " SELECT 'order.created', jsonb_build_object('n', n), 'mysql:orders', 'Refused: no'"
        " FROM generate_series(1, 300) n"
    )
    execute("SELECT dead_letter_revive(id) FROM dlq_events")
    at_once([relay.run_once] * 4)
    assert mysql_transport.metrics("orders").visible == 300
    mysql_transport.complete(mysql_transport.claim("orders", 1000, "theirs", 60))
    at_once([relay.run_once] * 4)
    assert DeadLetter.objects.filter(status="SUCCEEDED").count() == 300


def test_what_mysql_cannot_take_comes_back_with_its_reason(mysql, letter):
    number = letter(payload_raw=b"\xff not JSON", queue=mysql.name)
    execute("SELECT dead_letter_revive(%s)", number)
    execute("INSERT INTO message_queue (queue, payload) VALUES ('mysql:orders', '{}')")
    relay.run_once()
    returned = DeadLetter.objects.get()
    assert (returned.pk, returned.status) == (number, "PENDING")
    assert returned.error_reason.startswith("NotForwarded: mysql:orders did not take it: The payload")
    assert not Message.objects.exists()


def test_while_mysql_is_away_everything_waits_and_the_other_queues_are_served(
    mysql, attached, revived, settings, caplog
):
    number = revived()
    execute("INSERT INTO message_queue (queue, payload) VALUES (%s, '{}')", attached.name)
    settings.DLQ_MYSQL_URL, there = NOWHERE, settings.DLQ_MYSQL_URL
    counts = relay.run_once()
    assert (counts["failed"], counts["forwarded"]) == (1, 1)
    assert "the queue mysql:orders is not served: MySQL at 127.0.0.1:1 does not answer" in caplog.text
    assert Message.objects.get().dlq_event_id == number
    settings.DLQ_MYSQL_URL = there
    assert relay.run_once()["forwarded"] == 1
