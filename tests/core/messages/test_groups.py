"""Groups: one message of a key at a time, in the order in which they were sent."""

import pytest
from django.db import connection

from dlqconsole.core import messages
from dlqconsole.core.messages import NewMessage, queues
from dlqconsole.engine.models import Message, Queue

pytestmark = pytest.mark.django_db


def claim(limit=10):
    return messages.claim("q", limit, "me", 60)


def payloads(claims):
    return [claim.payload for claim in claims]


def test_only_the_first_of_each_group_is_claimable():
    messages.send_many("q", [NewMessage(f'"{key}{n}"', group_key=key) for n in range(3) for key in "ab"])
    first = claim()
    assert payloads(first) == ['"a0"', '"b0"']
    assert claim() == []
    messages.complete(first[:1])
    assert payloads(claim()) == ['"a1"']


@pytest.mark.parametrize("count", [5, 300])
def test_a_group_is_handled_in_order_however_it_was_sent(count):
    messages.send_many("q", [NewMessage(str(n), group_key="k", priority=n % 3) for n in range(count)])
    seen = []
    while claims := claim():
        seen += payloads(claims)
        messages.complete(claims)
    assert seen == [str(n) for n in range(count)]


def test_a_retry_keeps_its_place_and_the_others_wait():
    messages.send_many("q", [NewMessage(str(n), group_key="k") for n in range(2)])
    [first] = claim()
    messages.retry_later(first, 3600, "not now")
    assert claim() == []
    Message.objects.filter(status="scheduled").update(next_retry_at="2020-01-01T00:00:00Z")
    messages.stage()
    assert payloads(claim()) == ["0"]


def test_a_stale_claim_of_a_group_is_taken_over_before_its_followers():
    messages.send_many("q", [NewMessage(str(n), group_key="k") for n in range(2)])
    messages.claim("q", 1, "dies", -1)
    assert payloads(claim()) == ["0"]


@pytest.mark.parametrize("take", [lambda: claim(), lambda: messages.pop("q", 5)], ids=["claim", "pop"])
def test_a_dead_consumers_message_is_taken_over_before_an_earlier_one_that_was_committed_late(take):
    """Each would wait for the other for ever: one is in flight, the other comes first."""
    messages.send("q", '"begun"', group_key="k")
    messages.claim("q", 1, "dies", -1)
    messages.send("q", '"late"', group_key="k")
    Message.objects.filter(payload="late").update(id=1, status="pending")
    assert payloads(take()) == ['"begun"']


def test_plain_inserts_with_a_group_key_wait_too():
    with connection.cursor() as cursor:
        for n in range(3):
            cursor.execute(
                "INSERT INTO message_queue (queue, payload, group_key) VALUES ('q', %s, 'k')", [str(n)]
            )
    assert list(Message.objects.order_by("id").values_list("status", flat=True)) == [
        "pending",
        "waiting",
        "waiting",
    ]
    assert payloads(claim()) == ["0"]


def test_a_group_whose_first_vanished_by_hand_is_called():
    messages.send_many("q", [NewMessage(str(n), group_key="k") for n in range(3)])
    Message.objects.order_by("id").first().delete()
    assert payloads(claim()) == ["1"]


def test_a_group_that_was_forgotten_is_called_again():
    messages.send_many("q", [NewMessage(str(n), group_key="k") for n in range(2)])
    Message.objects.update(status="waiting")
    assert messages.unblock_forgotten("q") == 1
    assert payloads(claim()) == ["0"]


def test_a_forgotten_group_is_called_by_whoever_claims():
    messages.send_many("q", [NewMessage(str(n), group_key="k") for n in range(2)])
    Message.objects.update(status="waiting")
    assert payloads(claim()) == ["0"]


def test_a_delayed_follower_stays_delayed_when_it_is_called():
    messages.send("q", '"first"', group_key="k")
    messages.send("q", '"second"', group_key="k", delay=3600)
    messages.complete(claim())
    assert Message.objects.get().status == "scheduled"
    assert claim() == []


def test_popping_the_first_calls_the_next():
    messages.send_many("q", [NewMessage(str(n), group_key="k") for n in range(2)])
    assert payloads(messages.pop("q", 5)) == ["0"]
    assert payloads(messages.pop("q", 5)) == ["1"]


def test_where_order_is_switched_off_a_key_is_only_a_label():
    Queue.objects.create(name="q", fifo_groups=False)
    queues.forget()
    messages.send_many("q", [NewMessage(str(n), group_key="k") for n in range(3)])
    assert payloads(claim()) == ["0", "1", "2"]


def test_the_database_itself_refuses_two_of_a_group_in_flight():
    messages.send_many("q", [NewMessage(str(n), group_key="k") for n in range(2)])
    claim()
    from django.db import IntegrityError

    with pytest.raises(IntegrityError, match="message_queue_one_of_a_group"):
        Message.objects.filter(status="waiting").update(status="processing", group_in_flight="k")


def test_a_forgotten_group_is_found_among_thousands():
    messages.send_many("q", [NewMessage(str(n % 2), group_key=f"g{n // 2:05}") for n in range(5_000)])
    Message.objects.filter(group_key="g02400").update(status="waiting")
    assert messages.unblock_forgotten("q") == 1
    assert Message.objects.filter(group_key="g02400").order_by("id").first().status == "pending"
