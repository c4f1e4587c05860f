"""A revived dead letter goes to the queue where it failed, and to no other; what fails again is the same."""

import json
from datetime import datetime
from decimal import Decimal

import pytest
from django.core.management import call_command

from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.retries.why import Circumstances, answer
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.models import ForwardedMessage
from dlqconsole.transports.rabbitmq.target import RabbitmqTarget
from tests.plain_sql import execute, value
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

HEADERS = {
    "text": "Žofie",
    "bytes": b"\xff\x00",
    "decimal": Decimal("1.5"),
    "moment": datetime(2020, 1, 1),
    "none": None,
    "yes": True,
    "long": 2**40,
    "double": 0.25,
    "list": [1, {"a": "b"}],
}
PROPERTIES = {
    "content_type": "application/json",
    "content_encoding": "utf-8",
    "delivery_mode": 2,
    "priority": 3,
    "correlation_id": "c1",
    "reply_to": "answers",
    "message_id": "m1",
    "timestamp": 1_700_000_000_000,
    "type": "order.created",
    "app_id": "shop",
}


def status(letter):
    return value("SELECT status FROM dlq_events WHERE id = %s", letter.pk)


def test_it_comes_back_as_it_was_sent_with_its_properties(queues, taken_over, revive):
    queues.fail(b'{"n": 1}', application_headers=HEADERS, expiration="60000", user_id="console", **PROPERTIES)
    [letter] = taken_over()
    assert revive(letter)["forwarded"] == 1
    message = queues.get()
    headers = message.properties.pop("application_headers")
    assert (message.body, message.properties) == (b'{"n": 1}', PROPERTIES)
    ours = {
        "ce_id": "m1",
        "ce_source": letter.source,
        "ce_type": "order.created",
        "dlq_revive_id": f"dlq:{letter.pk}:1",
        "x-dlq-event-id": str(letter.pk),
        "x-dlq-revive-seq": "1",
    }
    assert headers == HEADERS | ours


def test_bytes_go_back_as_they_were(queues, taken_over, revive):
    queues.fail(b"\x00\xffavro")
    [letter] = taken_over()
    revive(letter)
    assert queues.get().body == b"\x00\xffavro"


def test_no_copy_goes_to_another_queue(queues, taken_over, revive):
    """Its producer asked for copies, and would have them again of each message with these headers."""
    queues.put(b"{}", application_headers={"CC": [queues.dead], "BCC": [queues.dead]})
    eventually(queues.waiting)
    queues.fail_next()
    [letter] = [each for each in taken_over() if each.source == f"rabbitmq:{queues.name}"]
    revive(letter)
    assert queues.waiting(queues.name) == 1
    assert queues.waiting() == 0
    assert "CC" not in queues.get().properties["application_headers"]


def test_handed_over_is_no_success_until_somebody_says_so(queues, taken_over, revive, attached):
    queues.fail()
    [letter] = taken_over()
    revive(letter)
    queues.get()
    relay.run_once()
    assert status(letter) == "REVIVED"
    said = answer(DeadLetter.objects.get(), Circumstances.look()).sentence
    assert f"It was handed over to {attached.name} at" in said
    assert "Nobody there says what becomes of it" in said
    call_command("attach", attached.name, "--handled", "--because", "billing has done all of them")
    assert status(letter) == "SUCCEEDED"


@pytest.mark.parametrize("message_id", [{"message_id": "m1"}, {}])
def test_what_fails_again_is_the_next_attempt_of_the_same_dead_letter(queues, taken_over, revive, message_id):
    queues.fail(b'{"n": 1}', **message_id)
    for times in (1, 2):
        [letter] = taken_over()
        revive(letter)
        queues.fail_next()
        [letter] = taken_over()
        assert (letter.status, letter.occurrences, letter.revive_count) == ("EXHAUSTED", times + 1, times)
    assert not ForwardedMessage.objects.exists()
    kinds = list(Attempt.objects.order_by("id").values_list("kind", "outcome"))
    assert kinds == [("queue", "failed"), ("revive", "failed"), ("revive", "failed")]


def test_a_copy_that_fails_later_is_no_second_dead_letter(queues, taken_over, revive, attached):
    """A person took it back, and its message was on the queue all the same."""
    queues.fail(b'{"n": 1}')
    [letter] = taken_over()
    revive(letter)
    attachments.detach(attached.name, actor="test", take_back=True)
    attachments.attach(attached.name, actor="test")
    queues.fail_next()
    [letter] = taken_over()
    assert letter.occurrences == 2


def test_a_queue_that_is_gone_gives_it_back_with_the_reason_and_holds_up_no_other(
    queues, taken_over, revive, rabbit
):
    queues.fail(b'{"n": 1}', b'{"n": 2}')
    gone, other = taken_over()
    headers = """jsonb_set(headers, '{x-rabbitmq,queue}', '"nowhere"')"""
    execute(f"UPDATE dlq_events SET headers = {headers} WHERE id = %s", gone.pk)
    execute("SELECT dead_letter_revive(%s)", gone.pk)
    revive(other)
    assert json.loads(queues.get().body) == {"n": 2}
    gone.refresh_from_db()
    assert gone.status in ("PENDING", "EXHAUSTED")
    assert (
        f"did not take it: RabbitMQ at 127.0.0.1:{rabbit.port} has no queue 'nowhere'." in gone.error_reason
    )


def test_a_full_queue_gives_it_back_with_the_reason(rabbit, queues, taken_over, revive):
    queues.fail()
    [letter] = taken_over()
    queues.channel.queue_delete(queues.name)
    full = {"x-max-length": 0, "x-overflow": "reject-publish"}
    queues.channel.queue_declare(queues.name, durable=True, auto_delete=False, arguments=full)
    revive(letter)
    letter.refresh_from_db()
    assert "refused the message: it is full, or not available." in letter.error_reason


def test_where_nobody_noted_the_queue_one_sentence_says_what_to_do(queues, taken_over, revive):
    queues.put(b"{}", queue=queues.dead)
    [letter] = taken_over()
    revive(letter)
    letter.refresh_from_db()
    assert "Nobody noted on which queue it failed: revive it to a queue that you name." in letter.error_reason
    assert queues.waiting() == 0


def test_while_rabbitmq_is_away_it_waits(queues, taken_over, revive, settings):
    queues.fail()
    [letter] = taken_over()
    address, settings.DLQ_RABBITMQ_URL = settings.DLQ_RABBITMQ_URL, "amqp://me@127.0.0.1:1/"
    assert revive(letter)["failed"] == 1
    assert status(letter) == "REVIVED"
    settings.DLQ_RABBITMQ_URL = address
    assert relay.run_once()["forwarded"] == 1
    assert queues.get() is not None


def test_what_was_sent_before_it_went_away_is_not_sent_again(queues, taken_over, revive, monkeypatch):
    queues.fail(b'{"n": 1}', b'{"n": 2}')
    first, second = taken_over()
    execute("SELECT dead_letter_revive(%s)", first.pk)
    send, calls = RabbitmqTarget.send, []

    def goes_away(*given, **more):
        calls.append(given)
        if len(calls) == 2:
            raise TransportUnavailable("The line is cut.")
        return send(*given, **more)

    monkeypatch.setattr(RabbitmqTarget, "send", goes_away)
    assert revive(second)["forwarded"] == 2
    bodies = [json.loads(each.body)["n"] for each in iter(queues.get, None)]
    assert bodies == [1, 2]
