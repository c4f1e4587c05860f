"""A consumer with the wrong handlers changes nothing: what it cannot handle waits for one that can."""

import time

import pytest
from django.db import connection

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.consuming.unhandled_backoff import LONGEST_PAUSE, UnhandledBackoff
from dlqconsole.core import messages
from dlqconsole.core.messages import ClaimResult
from dlqconsole.engine.known_handlers import CONSUMER, ProcessHeartbeat
from dlqconsole.engine.models import DeadLetter, EnrichedEvent, HandlerReport, Message, Queue
from dlqconsole.engine.queues import known, metrics
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)


def consume(*queues, **more):
    return Consumer(queues or ["order.created"], **more).run(until_empty=True)


def come_due():
    Message.objects.filter(status="scheduled").update(next_retry_at="2001-01-01T00:00:00Z")


def put_back():
    return Message.objects.filter(unhandled_type__isnull=False)


def test_it_buries_nothing_and_charges_no_attempt_however_often_it_tries(send, started_with):
    started_with("")
    for number in range(25):
        send(order_id=number)
    before = list(Message.objects.order_by("id").values("id", "payload", "retry_count", "crash_count"))
    for _ in range(6):
        assert consume() == {ClaimResult.PUT_BACK: 25}
        come_due()
    assert (
        list(Message.objects.order_by("id").values("id", "payload", "retry_count", "crash_count")) == before
    )
    assert not DeadLetter.objects.exists()


@pytest.mark.parametrize("crashes", [2, 9])
def test_what_consumers_died_with_is_given_up_only_by_one_that_has_the_handler(send, started_with, crashes):
    send(do="crash")
    execute("INSERT INTO message_queue (queue, payload_raw) VALUES ('order.created', '\\xff00fe')")
    held = {"status": "processing", "owner": "dead", "lease_until": "2001-01-01T00:00:00Z", "charge": 1}
    Message.objects.update(**held, retry_count=crashes + 1, crash_count=crashes)
    started_with("")
    assert consume() == {ClaimResult.PUT_BACK: 1, ClaimResult.DEAD: 1}
    assert [bytes(letter.payload_raw) for letter in DeadLetter.objects.all()] == [b"\xff\x00\xfe"]
    come_due()
    started_with("tests.sample_handlers")
    assert consume() == {ClaimResult.DEAD: 1}
    letter = DeadLetter.objects.get(payload_raw=None)
    reason = f"ConsumerCrashed: its consumer stopped {crashes + 1} times while it held this message"
    assert (letter.status, letter.error_reason) == ("QUARANTINED", reason)


def test_who_has_the_handler_gets_them_at_once(send, started_with):
    started_with("")
    send(order_id=1), send(order_id=2)
    consume()
    Message.objects.update(next_retry_at="2090-01-01T00:00:00Z")
    started_with("tests.sample_handlers")
    assert consume() == {ClaimResult.COMPLETED: 2}
    assert EnrichedEvent.objects.count() == 2


def test_what_it_can_handle_is_handled_in_the_midst_of_what_it_cannot(send):
    for number in range(40):
        send(queue="orders", order_id=number)
        if number % 10 == 9:
            send(queue="orders", headers={"ce_type": "order.created"}, order_id=number)
    assert consume("orders") == {ClaimResult.PUT_BACK: 40, ClaimResult.COMPLETED: 4}
    assert put_back().count() == 40


def test_three_thousand_that_nobody_handles_hold_up_nothing_behind_them(send):
    messages.send_many("orders", [messages.NewMessage("{}")] * 3000)
    send(queue="orders", headers={"ce_type": "order.created"}, order_id=1)
    begun = time.monotonic()
    assert consume("orders")[ClaimResult.COMPLETED] == 1
    assert time.monotonic() - begun < 20


def test_a_transactional_consumer_puts_back_too(send, started_with):
    started_with("")
    send(order_id=1)
    assert consume(transactional=True) == {ClaimResult.PUT_BACK: 1}
    assert Message.objects.get().retry_count == 0


def test_a_group_waits_behind_the_one_that_nobody_handles_and_others_do_not(send):
    for key, event_type in (("a", "order.lost"), ("a", "order.created"), ("b", "order.created")):
        messages.send("orders", "{}", {"ce_type": event_type}, group_key=key)
    assert consume("orders") == {ClaimResult.PUT_BACK: 1, ClaimResult.COMPLETED: 1}
    assert sorted(Message.objects.values_list("group_key", "status")) == [
        ("a", "scheduled"),
        ("a", "waiting"),
    ]
    [sentence] = [text for text in metrics.metrics_of("orders")["warnings"] if "order.lost" in text]
    assert "The others of their groups wait behind them" in sentence


def test_a_rate_limit_is_for_what_is_handled(send, started_with):
    started_with("")
    Queue.objects.create(name="order.created", rate_limit=1)
    for number in range(5):
        send(order_id=number)
    begun = time.monotonic()
    counts = consume(batch=1)
    while counts[ClaimResult.PUT_BACK] < 5 and time.monotonic() - begun < 3:
        counts += consume(batch=1)
    assert counts[ClaimResult.PUT_BACK] >= 5


def test_the_queue_says_who_is_missing_and_how_many_wait(send, started_with):
    started_with("")
    for number in range(12):
        send(order_id=number)
    consume()
    row = metrics.metrics_of("order.created")
    assert row["unhandled"] == [
        {"event_type": "order.created", "messages": 12, "at_least": False, "grouped": False, "handled": False}
    ]
    assert row["warnings"][0].startswith("Nobody handles order.created: 12 messages wait.")
    [listed] = [row for row in known.metrics() if row["name"] == "order.created"]
    assert listed["warnings"][0] == row["warnings"][0]


def test_with_a_consumer_that_has_the_handler_it_says_that_they_are_passed_on(send, started_with):
    send(order_id=1)
    ProcessHeartbeat(CONSUMER, ["order.created"]).beat()
    started_with("")
    consume()
    [sentence] = metrics.metrics_of("order.created")["warnings"]
    assert "passed on" in sentence
    with connection.cursor() as cursor:
        cursor.execute("SELECT next_retry_at < now() + interval '2 s' FROM message_queue")
        assert cursor.fetchone() == (True,)


def test_after_a_handler_ran_the_queue_says_nothing_more(send, started_with):
    started_with("")
    send(do="dependency")
    consume()
    started_with("tests.sample_handlers")
    assert consume() == {ClaimResult.LATER: 1}
    assert metrics.metrics_of("order.created")["unhandled"] == []


def test_a_consumer_says_that_it_runs_and_that_it_has_ended(send):
    consumer = Consumer(["order.created", "orders"])
    consumer._visit_queues()
    report = HandlerReport.objects.get()
    assert (report.role, report.queues) == ("consumer", ["order.created", "orders"])
    assert "order.created" in report.event_types
    consumer.stop()
    consumer.run()
    assert not HandlerReport.objects.exists()


def test_who_was_silent_for_long_is_forgotten():
    ProcessHeartbeat(CONSUMER, ["orders"]).beat()
    HandlerReport.objects.update(seen_at="2001-01-01T00:00:00Z")
    ProcessHeartbeat(CONSUMER, ["orders"]).beat()
    assert HandlerReport.objects.count() == 1


def test_a_pause_grows_with_the_time_and_with_how_many_wait(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    put_backs, pauses = UnhandledBackoff(), []
    for _ in range(9):
        pauses.append(put_backs.pause("a", handled_elsewhere=False))
        now[0] += pauses[-1]
    assert pauses == [1, 1, 2, 4, 8, 16, 32, LONGEST_PAUSE, LONGEST_PAUSE]
    assert put_backs.pause("a", handled_elsewhere=True) == 1
    put_backs.note(map(str, range(50_000)), "a", 60)
    assert put_backs.pause("a", handled_elsewhere=True) == 250
    assert put_backs.waiting() == {"a": 50_000}
    now[0] += 3600
    assert put_backs.waiting() == {}
