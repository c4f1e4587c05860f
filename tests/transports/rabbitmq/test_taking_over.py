"""What comes to a dead-letter queue becomes dead letters here, and leaves it once they are committed."""

import pytest
from django.core.management import call_command

from dlqconsole.core.errors import InvalidQueue
from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.transports import attachments, policies, relay
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.rabbitmq import relay as rabbitmq_relay
from tests.plain_sql import rows
from tests.rabbitmq_server import Queues
from tests.threads import at_once
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_rejected_message_is_a_dead_letter_of_the_queue_where_it_failed(queues, taken_over):
    queues.fail(b'{"total": 12345678901234567890.10}', message_id="m1", application_headers={"trace": "t1"})
    [letter] = taken_over()
    assert queues.waiting() == 0
    assert (letter.queue, letter.source) == (queues.attached, f"rabbitmq:{queues.name}")
    assert (letter.source_key, letter.event_type) == ("m1", queues.name)
    assert letter.error_reason == "Rejected: its consumer rejected it and did not say why"
    assert (letter.status, letter.occurrences, letter.retry_count) == ("EXHAUSTED", 1, 1)
    assert rows("SELECT payload::text, payload_raw FROM dlq_events") == [
        ('{"total": 12345678901234567890.10}', None)
    ]
    assert letter.headers["trace"] == "t1"
    assert letter.headers["x-rabbitmq"]["queue"] == queues.name
    assert letter.headers["x-death"][0]["reason"] == "rejected"
    assert letter.headers["dlq_noted_by"] == "RabbitMQ"
    assert (letter.headers["dlq_deaths"], letter.headers["dlq_routing_key"]) == (1, queues.name)
    [attempt] = Attempt.objects.filter(dlq_event_id=letter.pk)
    assert attempt.message.startswith(f"{queues.attached}/m1 ")


def test_bytes_that_are_no_json_are_kept_as_they_are(queues, taken_over):
    queues.fail(b"\x00\xffavro", content_type="avro/binary", content_encoding="utf-8")
    [letter] = taken_over()
    assert (letter.payload, bytes(letter.payload_raw)) == (None, b"\x00\xffavro")
    assert letter.headers["x-rabbitmq"]["properties"]["content_type"] == "avro/binary"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"x-message-ttl": 1}, "Expired: nobody took it before its time was over"),
        ({"x-max-length": 0}, "QueueFull: the queue was longer than its limit"),
    ],
)
def test_what_nobody_rejected_says_why_it_died(rabbit, rabbitmq_source, transactional_db, arguments, reason):
    queues = Queues(rabbit.channel(), **arguments)
    attachments.attach(queues.attached, actor="test")
    queues.put(message_id="m1", expiration="60000")
    eventually(queues.waiting)
    relay.run_once()
    letter = DeadLetter.objects.get()
    assert (letter.error_reason, letter.source) == (reason, f"rabbitmq:{queues.name}")
    assert "expiration" not in letter.headers["x-rabbitmq"]["properties"]
    queues.delete()


def test_a_quorum_queue_s_limit_of_deliveries_is_one_too(rabbit, rabbitmq_source, transactional_db):
    queues = Queues(rabbit.channel(), "quorum", **{"x-delivery-limit": 1})
    attachments.attach(queues.attached, actor="test")
    queues.put()
    for _ in range(2):
        eventually(lambda: queues.give_back())
    eventually(queues.waiting)
    eventually(lambda: relay.run_once()["dead-lettered"])
    letter = DeadLetter.objects.get()
    assert letter.error_reason == "DeliveriesExhausted: delivered too often and never acknowledged"
    assert queues.waiting() == 0
    queues.delete()


def test_messages_without_an_id_are_each_a_dead_letter_even_if_they_are_the_same(queues, taken_over):
    queues.fail(*[b"{}"] * 5)
    assert len({letter.source_key for letter in taken_over()}) == 5


def test_messages_without_an_id_become_dead_letters_in_their_order(queues, taken_over):
    queues.fail(*(b'{"n": %d}' % number for number in range(12)))
    assert [letter.payload["n"] for letter in taken_over()] == list(range(12))


def test_the_same_event_again_is_one_dead_letter_with_one_occurrence_more(queues, taken_over):
    queues.fail(b'{"n": 1}', message_id="m1")
    taken_over()
    queues.fail(b'{"n": 1}', message_id="m1")
    [letter] = taken_over()
    assert letter.occurrences == 2
    queues.fail(b'{"n": 2}', message_id="m1")
    assert [each.payload for each in taken_over()] == [{"n": 1}, {"n": 2}]


def test_a_cloudevent_in_the_headers_says_who_it_is(queues, taken_over):
    event = {"cloudEvents:id": "e1", "cloudEvents:source": "/shop", "cloudEvents:type": "order.created"}
    queues.fail(b'{"n": 1}', application_headers=event)
    [letter] = taken_over()
    assert (letter.source, letter.source_key, letter.event_type) == ("/shop", "e1", "order.created")


def test_headers_that_postgresql_cannot_hold_harm_no_other_message(queues, taken_over):
    deep: list[object] = []
    for _ in range(200):
        deep = [deep]
    nasty = {"nul": "a\x00b", "bytes": b"\xff", "half": "\ud800", "deep": deep}
    queues.put(b"{}", queue=queues.dead, message_id="a\x00b", type="t\x00", application_headers=nasty)
    died = [{"queue": "q" * 5000 + "\x00", "reason": "\x00", "time": "now", "count": {}}, 7]
    queues.put(b"{}", queue=queues.dead, application_headers={"x-death": died})
    queues.put(b"{}", queue=queues.dead, application_headers={"x-death": 7, "MT-Reason": None})
    queues.put(b"{}", queue=queues.dead, application_headers={"ce_id": 7, "NServiceBus.FailedQ": b"\xff"})
    assert len(taken_over()) == 4


def test_a_message_that_carries_no_note_says_so(queues, taken_over):
    queues.put(b"{}", queue=queues.dead)
    [letter] = taken_over()
    assert letter.error_reason == "DeadLettered: nobody noted why"
    assert letter.source == queues.attached


def test_a_queue_whose_consumers_are_back_keeps_its_messages(queues, rabbit, attached, caplog):
    channel = rabbit.channel()
    channel.basic_qos(0, 1, False)
    channel.basic_consume(queues.dead, callback=lambda _message: None)
    queues.put(b"{}", queue=queues.dead)
    assert relay.run_once()["failed"] == 1
    assert "has consumers of its own (1 now)" in caplog.text
    assert not DeadLetter.objects.exists()
    channel.close()


def test_a_pause_leaves_them_there(queues, attached):
    queues.fail()
    policies.pause(attached.name, actor="test", reason="")
    assert relay.run_once()["dead-lettered"] == 0
    assert queues.waiting() == 1
    policies.resume(attached.name, actor="test", reason="")
    assert relay.run_once()["dead-lettered"] == 1


def test_relays_beside_one_another_take_each_message_once(queues, attached, monkeypatch):
    monkeypatch.setattr(rabbitmq_relay, "PAGE", 10)
    queues.fail(*[b"{}"] * 60)

    def run():
        while DeadLetter.objects.count() < 60:
            relay.run_once()

    at_once([run] * 3)
    assert (DeadLetter.objects.count(), queues.waiting()) == (60, 0)
    assert AttachedQueue.objects.get().in_doubt == {}


def test_while_rabbitmq_is_away_one_sentence_says_so_and_nothing_is_lost(queues, attached, settings, caplog):
    queues.fail()
    address, settings.DLQ_RABBITMQ_URL = settings.DLQ_RABBITMQ_URL, "amqp://me:secret@127.0.0.1:1/"
    assert relay.run_once()["failed"] == 1
    assert "RabbitMQ at 127.0.0.1:1 does not answer" in caplog.text
    assert "secret" not in caplog.text
    settings.DLQ_RABBITMQ_URL = address
    assert relay.run_once()["dead-lettered"] == 1


def test_the_queue_s_page_says_what_it_is(queues, attached, viewer):
    queues.fail()
    page = " ".join(viewer.get(f"/queues/{attached.name}/").content.decode().split())
    assert "each message on it becomes a dead letter here" in page
    assert "Revived messages are sent there" not in page
    assert "In flight" not in page
    assert "—</td>" in viewer.get("/queues/").content.decode()


def test_a_queue_that_is_let_go_of_keeps_what_comes(queues, attached):
    call_command("attach", attached.name, "--detach")
    queues.fail()
    relay.run_once()
    assert queues.waiting() == 1
    with pytest.raises(InvalidQueue):
        attachments.attach(queues.dead, actor="test")
