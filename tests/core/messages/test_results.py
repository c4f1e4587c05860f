"""Whoever sent an event waits for what became of it."""

import json
import threading

import pytest
from django.db import connection

from dlqconsole.core import messages
from dlqconsole.engine.models import DeadLetter

pytestmark = pytest.mark.django_db(transaction=True)
EVENT = {"specversion": "1.0", "type": "order.created", "source": "shop", "id": "7", "data": {"order_id": 3}}


def look(number, queue="order.created"):
    return messages.wait_for_result(f"queue:{queue}", number, timeout=0)


def handle(queue="order.created"):
    [claim] = messages.claim(queue, 1, "me", 60)
    return messages.process(claim)


def handle_in_a_thread():
    def run():
        handle()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_message_is_queued_then_running_then_its_record_is_there():
    number = messages.send("order.created", '{"order_id": 3}')
    assert look(number).state == "queued"
    [claim] = messages.claim("order.created", 1, "me", 60)
    assert look(number).state == "running"
    messages.process(claim)
    result = look(number)
    assert (result.state, json.loads(result.record)) == ("succeeded", {"order_id": 3, "handled": True})


def test_who_waits_gets_the_record_as_soon_as_the_handler_is_done():
    number = messages.send("order.created", '{"order_id": 3}')
    consumer = handle_in_a_thread()
    assert messages.wait_for_result("queue:order.created", number, timeout=10).state == "succeeded"
    consumer.join()


def test_a_dead_letter_ends_the_wait_and_says_its_category():
    number = messages.send("order.created", '{"do": "business"}')
    handle()
    letter = DeadLetter.objects.get()
    result = messages.wait_for_result("queue:order.created", number, timeout=10)
    assert result == messages.EventResult("dead_letter", None, letter.pk, "PENDING", "BUSINESS")


def test_a_cloudevent_is_known_by_its_source_and_id():
    messages.send("order.created", json.dumps(EVENT))
    assert messages.wait_for_result("shop", "7", timeout=0).state == "unknown"
    handle()
    assert messages.wait_for_result("shop", "7", timeout=10).state == "succeeded"


def test_nobody_waits_for_a_message_that_left_without_a_record():
    number = messages.send("order.created", "{}")
    messages.complete(messages.claim("order.created", 1, "me", 60))
    assert messages.wait_for_result("queue:order.created", number, timeout=10).state == "gone"
