"""Claiming: who gets which message, and what a token is good for."""

from collections import Counter
from functools import partial

import pytest

from dlqconsole.core import messages
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import StoredEvent, handle
from dlqconsole.core.messages import queues
from dlqconsole.engine.models import Message, Queue
from dlqconsole.operations.tasks import keep_time
from tests.plain_sql import execute, row
from tests.threads import at_once


def run(claim):
    return handle(StoredEvent(claim.payload, claim.payload_raw, claim.headers, claim.queue, str(claim.id)))


@pytest.mark.django_db
def test_a_claim_counts_the_attempt_and_hides_the_message(send):
    send(order_id=1)
    [claim] = messages.claim("order.created", 5, "me", 60)
    assert claim.retry_count == 1
    assert messages.claim("order.created", 5, "you", 60) == []


@pytest.mark.django_db
def test_urgent_messages_come_first_then_the_oldest(send):
    low, first, second = send(order_id=1), send(order_id=2), send(order_id=3)
    Message.objects.filter(pk__in=[first, second]).update(priority=5)
    claims = messages.claim("order.created", 5, "me", 60)
    assert [claim.id for claim in claims] == [first, second, low]


@pytest.mark.django_db
def test_a_paused_queue_gives_nothing(send):
    Queue.objects.create(name="order.created", paused=True)
    send(order_id=1)
    assert messages.claim("order.created", 5, "me", 60) == []


@pytest.mark.django_db
def test_a_message_for_later_is_not_claimable_until_it_is_due():
    execute(
        "INSERT INTO message_queue (queue, payload, next_retry_at)"
        " VALUES ('q', '{}', now() + interval '1 hour')"
    )
    assert messages.claim("q", 5, "me", 60) == []
    Message.objects.update(next_retry_at="2020-01-01T00:00:00Z")
    assert messages.stage() == 1
    assert len(messages.claim("q", 5, "me", 60)) == 1


@pytest.mark.django_db
def test_a_stale_token_completes_nothing(send):
    send(order_id=1)
    [stale] = messages.claim("order.created", 1, "slow", -1)
    [fresh] = messages.claim("order.created", 1, "quick", 60)
    assert messages.complete([stale]) == set()
    with pytest.raises(LeaseLost):
        messages.retry_later(stale, 0, "too late")
    assert Message.objects.get().lease_token == fresh.lease_token
    assert messages.complete_handled([(fresh, run(fresh))]) == {fresh.id}
    assert not Message.objects.exists()


@pytest.mark.django_db
def test_what_a_dead_consumer_held_is_claimed_one_by_one(send):
    held = [send(order_id=number) for number in range(3)]
    fresh = send(order_id=9)
    messages.claim("order.created", 3, "dies", -1)
    taken = [[claim.id for claim in messages.claim("order.created", 10, "me", 60)] for _ in range(4)]
    assert taken == [[held[0]], [held[1]], [held[2]], [fresh]]


@pytest.mark.django_db
def test_a_released_message_has_not_used_an_attempt(send):
    send(order_id=1)
    claims = messages.claim("order.created", 1, "me", 60)
    assert messages.release(claims) == {claims[0].id}
    assert Message.objects.get().retry_count == 0


@pytest.mark.django_db(transaction=True)
def test_eight_consumers_never_share_a_message(send):
    for number in range(400):
        send(order_id=number)
    seen: Counter[int] = Counter()

    def work(name: str) -> None:
        while claims := messages.claim("order.created", 7, name, 60):
            for claim in claims:
                seen[claim.id] += 1
                messages.complete_handled([(claim, run(claim))])

    at_once([partial(work, f"consumer {n}") for n in range(8)])
    assert len(seen) == 400
    assert set(seen.values()) == {1}
    assert not Message.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_claims_are_prepared_once_not_planned_each_time(send):
    for _ in range(3):
        send(order_id=1)
        messages.complete(messages.QueueReader("order.created", "me").claim(1, 60))
    prepared, generic = row(
        "SELECT count(*), min(generic_plans) FROM pg_prepared_statements"
        " WHERE statement LIKE '%FROM queue_take%'"
    )
    assert prepared == 1
    assert generic >= 3


TAKEN = {
    "claim": lambda: messages.claim("q", 10, "me", 60),
    "claim where": lambda: messages.claim("q", 10, "me", 60, condition={}),
    "pop": lambda: messages.pop("q", 10),
}


@pytest.mark.django_db
@pytest.mark.parametrize("take", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("unlogged", [False, True])
def test_a_delayed_message_comes_due_for_whoever_claims(take, unlogged):
    """No consumer of ours runs here."""
    Queue.objects.create(name="q", unlogged=unlogged)
    queues.forget()
    late = messages.send("q", '{"late": 1}', delay=1)
    messages.send("q", "{}", delay=60)
    other = messages.send("another", "{}", delay=1)
    assert take() == []
    come_due()
    assert [claim.id for claim in take()] == [late]
    assert take() == []
    assert Message.objects.get(pk=other).status == "scheduled"


@pytest.mark.django_db
def test_a_queue_that_is_never_empty_gets_its_delayed_messages_by_the_beat():
    late = messages.send("q", "{}", delay=1, priority=5)
    messages.send_many("q", [messages.NewMessage("{}")] * 5)
    come_due()
    assert status_of(late) == "scheduled"
    keep_time()
    assert status_of(late) == "pending"


@pytest.mark.django_db
def test_a_claim_sees_what_has_come_due_on_a_queue_that_is_never_empty():
    late = messages.send("q", "{}", delay=1, priority=5)
    messages.send_many("q", [messages.NewMessage("{}")] * 5)
    come_due()
    assert late in [claim.id for claim in messages.claim("q", 2, "me", 60)]


def status_of(message_id):
    return Message.objects.values_list("status", flat=True).get(pk=message_id)


def come_due():
    execute(
        "UPDATE message_queue SET next_retry_at = next_retry_at - interval '2 seconds'"
        " WHERE status = 'scheduled'"
    )
