"""What stands on each queue."""

import pytest

from dlqconsole.engine import messages, queues
from dlqconsole.engine.models import DeadLetter, Queue


@pytest.mark.django_db
def test_a_queue_is_listed_for_its_messages_its_dead_letters_or_its_policy(send):
    Queue.objects.create(name="quiet", paused=True)
    for number in range(3):
        send(order_id=number)
    messages.claim("order.created", 1, "me", 60)
    DeadLetter.objects.create(event_type="order.billed", source="s", source_key="1")
    DeadLetter.objects.create(event_type="x", queue="order.created", source="s", source_key="2")
    DeadLetter.objects.create(event_type="x", queue="gone", source="s", source_key="3", status="SUCCEEDED")
    found = {row["name"]: row for row in queues.metrics()}
    assert set(found) == {"quiet", "order.created", "order.billed"}
    assert found["quiet"]["paused"] is True
    order = found["order.created"]
    assert (order["visible"], order["in_flight"], order["dead_letters"]) == (2, 1, 1)
    assert order["oldest_due_seconds"] >= 0
    assert found["order.billed"]["dead_letters"] == 1


@pytest.mark.django_db
def test_an_estimate_lists_the_same_live_messages(send):
    send(order_id=1)
    [row] = queues.metrics(estimate=True)
    assert (row["name"], row["visible"]) == ("order.created", 1)
