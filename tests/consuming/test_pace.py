"""What became of revived messages teaches the pace of their event types; nothing else does."""

import pytest
from django.db import connection

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.engine.models import PacedType, Queue

pytestmark = pytest.mark.django_db(transaction=True)


def revive(letter, number, **payload):
    Queue.objects.get_or_create(name="order.created", max_retries=0)
    with connection.cursor() as cursor:
        for _ in range(number):
            cursor.execute("SELECT revive_dead_letter(%s)", [letter(payload=payload)])


@pytest.mark.parametrize("transactional", [False, True])
def test_a_consumer_tells_what_came_back(letter, send, sample_handlers, transactional):
    revive(letter, 3, do="business")
    revive(letter, 4, order_id=1)
    send(order_id=2)
    send(do="business")
    Consumer(["order.created"], transactional=transactional).run(until_empty=True)
    row = PacedType.objects.get()
    assert (row.event_type, row.tried, row.came_back, row.timed) == ("order.created", 7, 3, 4)


def test_who_consumes_nothing_revived_writes_nothing(send, sample_handlers):
    send(order_id=1)
    Consumer(["order.created"]).run(until_empty=True)
    assert not PacedType.objects.exists()
