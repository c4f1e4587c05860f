"""The breaker at a queue: while the other side is away, messages keep their tries and their place."""

import time
from datetime import UTC, datetime, timedelta

import orjson
import pytest

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core import messages
from dlqconsole.core.messages import ClaimResult, NewMessage
from dlqconsole.engine import breakers
from dlqconsole.engine.models import AuditEntry, Breaker, DeadLetter, Message, Queue
from dlqconsole.engine.queues import changes as queues
from dlqconsole.engine.queues import metrics as queue_metrics
from tests.plain_sql import execute, rows
from tests.sizes import SOAK

pytestmark = pytest.mark.django_db(transaction=True)

QUEUE = "order.created"


@pytest.fixture(autouse=True)
def patient():
    """What failed is not due again while a test of this file runs, however slow the machine is."""
    Queue.objects.create(name=QUEUE, backoff_base_seconds=3600, backoff_jitter=0)


def send(count, queue=QUEUE, headers=None, **data):
    messages.send_many(queue, [NewMessage(orjson.dumps(data), headers)] * count)


def consume(*queues):
    return Consumer(queues or [QUEUE]).run(until_empty=True)


def pause_over():
    execute("UPDATE breakers SET next_probe_at = now() - interval '1 s' WHERE state <> 'closed'")


def untouched():
    return Message.objects.filter(status="pending", retry_count=0, crash_count=0).count()


def test_twenty_failures_leave_the_queue_alone():
    send(100, do="dependency")
    assert consume() == {ClaimResult.LATER: 20}
    breaker = Breaker.objects.get()
    assert (breaker.failures, breaker.reason) == (20, "BillingAway: billing answered 503")
    assert untouched() == 80, "no attempt was used up"
    assert consume() == {}, "another consumer leaves it alone too"
    assert untouched() == 80


def test_one_message_at_a_time_tries_and_it_is_one_that_was_never_tried():
    send(100, do="dependency")
    consume()
    Message.objects.filter(status="scheduled").update(status="pending", next_retry_at=datetime.now(UTC))
    pause_over()
    assert consume() == {ClaimResult.LATER: 1}
    assert Breaker.objects.get().probes == 1
    assert untouched() == 79


def test_a_few_that_go_well_close_it_and_all_goes_on():
    send(30, do="dependency")
    consume()
    Message.objects.update(payload={"order_id": 1})
    pause_over()
    assert consume() == {ClaimResult.COMPLETED: 10}
    assert breakers.states() == []


def test_a_try_that_finds_no_message_takes_no_turn():
    send(30, do="dependency")
    consume()
    Message.objects.all().delete()
    pause_over()
    assert consume() == {}
    assert Breaker.objects.get().probes == 0


def test_errors_that_only_a_person_can_mend_do_not_open_it():
    send(40, do="business")
    assert consume() == {ClaimResult.DEAD: 40}
    assert DeadLetter.objects.count() == 40
    assert breakers.states() == []


def test_it_can_be_switched_off(settings):
    settings.DLQ_BREAKER_FAILURES = 0
    send(40, do="dependency")
    assert consume() == {ClaimResult.LATER: 40}


def test_another_type_on_the_queue_goes_on_behind_what_is_stopped():
    send(30, do="dependency")
    send(200, do="dependency")
    send(5, headers={"ce_type": "order.checked"}, total=1)
    counts = consume()
    assert counts == {ClaimResult.LATER: 20, ClaimResult.COMPLETED: 5}
    assert untouched() == 210


def test_a_queue_that_holds_nothing_else_is_left_in_peace():
    send(230, do="dependency")
    consume()
    before = rows("SELECT xmin::text FROM message_queue ORDER BY id")
    for _ in range(3):
        consume()
    assert rows("SELECT xmin::text FROM message_queue ORDER BY id") == before, "nothing was written"


def test_what_is_stopped_in_a_group_keeps_its_group_waiting():
    for number in range(3):
        messages.send(QUEUE, orjson.dumps({"order_id": number}), group_key="customer-7")
    breakers.hold(f"type:{QUEUE}", "open", datetime.now(UTC) + timedelta(hours=1), "ann", "")
    assert consume() == {}
    breakers.resume(f"type:{QUEUE}", "ann")
    assert consume() == {ClaimResult.COMPLETED: 3}


def test_bytes_without_json_are_put_off_untouched_and_not_again_and_again():
    send(30, do="dependency")
    consume()
    Message.objects.all().delete()
    execute("INSERT INTO message_queue (queue, payload_raw) VALUES (%s, %s)", QUEUE, b'{"do": "dependency"}')
    execute("UPDATE breakers SET next_probe_at = now() + interval '30 s'")
    assert consume() == {}
    [message] = Message.objects.all()
    assert (message.status, message.retry_count) == ("scheduled", 0)
    assert 20 < (message.next_retry_at - datetime.now(UTC)).total_seconds() < 31


def test_people_see_why_and_may_let_it_go_on():
    send(30, do="dependency")
    consume()
    [warning] = queue_metrics.metrics_of(QUEUE)["warnings"]
    assert (
        "the event type order.created failed 20 times, BillingAway: billing answered 503. One run" in warning
    )
    assert queues.resume(QUEUE, actor="ann", reason="billing is back")
    assert {entry.target for entry in AuditEntry.objects.all()} == {f"queue:{QUEUE}", f"breaker:type:{QUEUE}"}
    Message.objects.update(payload={"order_id": 1})
    assert consume()[ClaimResult.COMPLETED] == 10
    assert not queues.resume(QUEUE, actor="ann", reason="once more")


def took(work):
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def a_tenth_that_fails(number, work):
    return [NewMessage(orjson.dumps(work if n % 10 else {"do": "transient"})) for n in range(number)]


class Counted(Consumer):
    """Counts how often it asks for messages, and how often it waits."""

    claims = naps = 0

    def _claim_runnable(self, *arguments):
        self.claims += 1
        return super()._claim_runnable(*arguments)

    def _sleep(self):
        self.naps += 1
        super()._sleep()


@pytest.mark.sized
def test_a_tenth_that_fails_keeps_nobody_from_the_rest():
    """Every tenth raises TransientError: each is called once, in full batches, and nothing pauses."""
    messages.send_many(QUEUE, a_tenth_that_fails(500, {}))
    consumer = Counted([QUEUE])
    assert consumer.run(until_empty=True) == {ClaimResult.COMPLETED: 450, ClaimResult.LATER: 50}
    assert Message.objects.filter(status="scheduled", retry_count=1).count() == 50
    assert breakers.states() == []
    assert consumer.claims <= 500 / 10 + 2
    assert consumer.naps == 0
    if SOAK:
        cost_of_a_tenth_that_fails()


def cost_of_a_tenth_that_fails():
    """The measured case, in which what failed comes due again amid the others."""
    number, work = 5_000, {"do": "sleep", "seconds": 0.01}
    Message.objects.all().delete()
    Queue.objects.update(backoff_base_seconds=5, backoff_jitter=1)
    costs = []
    for _ in range(3):  # what else runs on the machine is in one of them, not in all
        send(number, **work)
        without = took(consume)
        messages.send_many(QUEUE, a_tenth_that_fails(number, work))
        costs.append(took(consume) / without)
        Message.objects.all().delete()
    assert breakers.states() == []
    assert min(costs) <= 1.2
