"""What else may be done with messages: put off, archived, popped, claimed by condition or at a rate."""

import time

import pytest

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core import messages
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.core.messages import NewMessage, queues
from dlqconsole.engine.models import ArchivedMessage, Message, Queue
from tests.plain_sql import execute, row

pytestmark = pytest.mark.django_db


def queue(**policy):
    Queue.objects.create(name="q", **policy)
    queues.forget()


def test_a_claim_by_condition_takes_only_what_contains_it():
    for n in range(6):
        messages.send("q", f'{{"region": "{"eu" if n % 2 else "us"}", "n": {n}}}')
    found = messages.claim("q", 10, "me", 60, condition={"region": "eu"})
    assert [claim.payload for claim in found] == [f'{{"n": {n}, "region": "eu"}}' for n in (1, 3, 5)]
    with pytest.raises(InvalidFilter):
        messages.claim("q", 1, "me", 60, condition={"a": "\x00"})


def test_a_snoozed_message_comes_back_later_with_its_attempt_unburnt():
    messages.send("q", "{}")
    claims = messages.claim("q", 1, "me", 60)
    assert messages.snooze(claims, 3600) == {claims[0].id}
    message = Message.objects.get()
    assert (message.status, message.retry_count) == ("scheduled", 0)
    with pytest.raises(ValueError, match="not -1 s"):
        messages.snooze(claims, -1)


def test_extending_moves_the_lease_and_a_lost_one_is_named():
    messages.send("q", "{}")
    messages.send("q", "{}")
    kept, lost = messages.claim("q", 2, "me", 60)
    Message.objects.filter(pk=lost.id).update(lease_token=None)
    before = Message.objects.get(pk=kept.id).lease_until
    assert messages.extend([kept, lost], 600) == {kept.id}
    assert (Message.objects.get(pk=kept.id).lease_until - before).total_seconds() > 500


def test_completing_twice_completes_once():
    messages.send("q", "{}")
    claims = messages.claim("q", 1, "me", 60)
    assert messages.complete(claims) == {claims[0].id}
    assert messages.complete(claims) == set()


def test_popped_messages_are_gone_whatever_happens_next():
    for n in range(3):
        messages.send("q", str(n))
    assert [claim.payload for claim in messages.pop("q", 2)] == ["0", "1"]
    assert Message.objects.count() == 1


def test_a_queue_that_archives_keeps_what_was_completed():
    queue(retention="archive")
    message_id = messages.send("q", '{"n": 1}', {"a": "b"})
    messages.complete(messages.claim("q", 1, "me", 60))
    kept = ArchivedMessage.objects.get()
    assert (kept.id, kept.payload, kept.headers, kept.owner) == (message_id, {"n": 1}, {"a": "b"}, "me")
    assert not Message.objects.exists()


def test_a_message_can_be_archived_on_any_queue():
    messages.send("q", "1")
    claims = messages.claim("q", 1, "me", 60)
    assert messages.archive(claims) == {claims[0].id}
    assert messages.archive(claims) == set()
    assert ArchivedMessage.objects.count() == 1


def test_a_rate_limit_holds_for_all_consumers_together():
    queue(rate_limit=5)
    messages.send_many("q", [NewMessage(str(n)) for n in range(60)])
    taken = [len(messages.claim("q", 3, f"consumer {n}", 60)) for n in range(4)]
    assert taken == [3, 2, 0, 0]


@pytest.mark.parametrize(
    "take",
    [lambda number: messages.claim("q", number, "me", 60), lambda number: messages.pop("q", number)],
    ids=["claim", "pop"],
)
def test_what_a_limited_queue_granted_and_nobody_needed_is_given_back(take):
    queue(rate_limit=5)
    assert [take(5) for _ in range(3)] == [[], [], []]
    messages.send_many("q", [NewMessage(str(n)) for n in range(60)])
    assert len(take(10)) == 5


@pytest.mark.django_db(transaction=True)
def test_a_consumer_keeps_to_its_queues_rate():
    Queue.objects.create(name="order.created", rate_limit=20)
    messages.send_many("order.created", [NewMessage("{}")] * 50)
    begun = time.monotonic()
    consumer = Consumer(["order.created"], batch=7)
    while sum(consumer.run(until_empty=True).values()) < 50:
        time.sleep(0.1)
    # the bucket was full: 20 at once, 30 more at 20 a second
    assert time.monotonic() - begun > 1.3


def test_an_unlogged_queue_behaves_like_any_other():
    queue(unlogged=True, retention="archive")
    messages.send_many("q", [NewMessage(str(n)) for n in range(120)])
    messages.send("q", '"one"', dedupe_key="k", group_key="g")
    assert messages.send("q", '"two"', dedupe_key="k") is None
    assert row("SELECT count(*) FROM ONLY message_queue") == (0,)
    claims = messages.claim("q", 200, "me", 60)
    assert len(claims) == 121
    assert len(messages.complete(claims)) == 121
    assert ArchivedMessage.objects.count() == 121


def test_a_plain_insert_into_an_unlogged_queue_is_found_and_logged():
    queue(unlogged=True)
    execute("INSERT INTO message_queue (queue, payload) VALUES ('q', '1')")
    assert len(messages.claim("q", 1, "me", 60)) == 1
