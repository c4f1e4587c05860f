"""The breaker: while everything on a queue fails, its messages keep their retries."""

import orjson
import pytest
from django.db import connection

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.consuming.settlement import Settled
from dlqconsole.engine import messages
from dlqconsole.engine.messages import NewMessage
from dlqconsole.engine.models import AuditEntry, DeadLetter, Message, Queue, QueueBreaker
from dlqconsole.engine.queues import changes as queues
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues.breakers import Breaker

pytestmark = pytest.mark.django_db(transaction=True)

QUEUE = "order.created"


@pytest.fixture(autouse=True)
def patient():
    """What failed is not due again while a test of this file runs, however slow the machine is."""
    Queue.objects.create(name=QUEUE, backoff_base_seconds=3600, backoff_jitter=0)


def send(count, **data):
    messages.send_many(QUEUE, [NewMessage(orjson.dumps(data))] * count)


def consume():
    return Consumer([QUEUE]).run(until_empty=True)


def pause_over():
    with connection.cursor() as cursor:
        cursor.execute("UPDATE queue_breakers SET open_until = now() - interval '1 s'")


def test_twenty_failures_in_a_row_leave_the_queue_alone():
    send(100, do="dependency")
    assert consume() == {Settled.LATER: 20}
    breaker = QueueBreaker.objects.get()
    assert (breaker.failures, breaker.reason) == (20, "BillingAway: billing answered 503")
    assert Message.objects.filter(status="pending", retry_count=0).count() == 80, "no attempt was used up"
    assert consume() == {}, "another consumer leaves it alone too"


def test_one_message_at_a_time_tries_whether_it_is_over():
    send(100, do="dependency")
    consume()
    pause_over()
    assert consume() == {Settled.LATER: 1}
    assert QueueBreaker.objects.get().probes == 1


def test_a_success_closes_it_for_everybody():
    send(30, do="dependency")
    consume()
    Message.objects.update(payload={"order_id": 1})
    pause_over()
    assert consume()[Settled.COMPLETED] == 10
    assert not QueueBreaker.objects.exists()


def test_of_several_consumers_one_tries():
    send(30, do="dependency")
    consume()
    pause_over()
    assert sorted(Breaker(QUEUE).allows(10) for _ in range(4)) == [0, 0, 0, 1]


def test_the_pause_grows_up_to_a_minute():
    send(30, do="dependency")
    consume()
    for _ in range(6):
        pause_over()
        Breaker(QUEUE).allows(10)
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM open_until - now()) FROM queue_breakers")
        assert 55 < cursor.fetchone()[0] <= 60


def test_a_try_that_finds_no_message_does_not_lengthen_the_pause():
    send(30, do="dependency")
    consume()
    Message.objects.all().delete()
    pause_over()
    assert consume() == {}
    assert QueueBreaker.objects.get().probes == 0


def test_errors_that_only_a_person_can_mend_do_not_open_it():
    send(40, do="business")
    assert consume() == {Settled.DEAD: 40}
    assert DeadLetter.objects.count() == 40
    assert not QueueBreaker.objects.exists()


def test_it_can_be_switched_off(settings):
    settings.DLQ_BREAKER_FAILURES = 0
    send(40, do="dependency")
    assert consume() == {Settled.LATER: 40}


def test_people_see_why_and_may_let_it_go_on():
    send(30, do="dependency")
    consume()
    [warning] = queue_metrics.metrics_of(QUEUE)["warnings"]
    assert "20 failures in a row, BillingAway: billing answered 503. One message tries again in" in warning
    assert queues.resume(QUEUE, actor="ann", reason="billing is back")
    assert AuditEntry.objects.get().detail == {"breaker": "closed"}
    Message.objects.update(payload={"order_id": 1})
    assert consume()[Settled.COMPLETED] == 10
    assert not queues.resume(QUEUE, actor="ann", reason="once more")
