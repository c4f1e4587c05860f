"""A consumer that dies is an attempt on what it held: in the dead letter's story, exactly once."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from dlqconsole.consuming import settlement
from dlqconsole.core import messages
from dlqconsole.core.lifecycle.failures import MAX_CRASHES, Backoff, QueuePolicy
from dlqconsole.core.messages.queues import policy
from dlqconsole.engine.models import Attempt, DeadLetter, Message, Queue
from dlqconsole.transports.identities import handle_message
from dlqconsole.transports.native.source import NativeSource
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db

POLICY = QueuePolicy(max_retries=5, backoff=Backoff(0.0, 0.0))
DIED = "the consumer {} stopped while holding this message"


def dies(worker, queue="order.created"):
    """Claim a message and hold it no longer; its row as it is then."""
    [claim] = messages.claim(queue, 1, worker, -600)
    return Message.objects.get(pk=claim.id)


def settle(owner="last"):
    source = NativeSource()
    [message] = source.claim("order.created", 1, owner, 60)
    if settlement.has_killed(source, message, POLICY):
        return settlement.quarantine(source, message, None)
    return settlement.settle(source, message, handle_message(message, None), POLICY)


def told(**which):
    columns = ("kind", "worker", "outcome", "error_category", "error_reason")
    return list(Attempt.objects.filter(**which).order_by("finished_at", "id").values_list(*columns))


def crash(worker):
    return ("crash", worker, "failed", "", DIED.format(worker))


def test_each_crash_is_in_the_story_of_what_is_quarantined_and_the_first_is_its_first_failure(send):
    message_id = send(do="crash")
    first_held = dies("a").dequeued_time
    dies("b"), dies("c")
    settle()
    letter = DeadLetter.objects.get()
    assert told(dlq_event_id=letter.pk)[:3] == [crash("a"), crash("b"), crash("c")]
    assert [kind for kind, *_rest in told()] == ["crash"] * 3 + ["queue"]
    first = Attempt.objects.order_by("finished_at").first()
    assert (first.message, first.started_at) == (f"order.created/{message_id}", first_held)
    assert (letter.first_failure_at, letter.retry_count) == (first.finished_at, 4)


def test_a_crash_before_another_failure_is_told_with_it(send):
    send(do="business")
    dies("a")
    settle()
    letter = DeadLetter.objects.get()
    kinds = [(kind, reason) for kind, *_rest, reason in told(dlq_event_id=letter.pk)]
    assert kinds == [("crash", DIED.format("a")), ("queue", letter.error_reason)]
    assert letter.first_failure_at < letter.last_failure_at


@pytest.mark.parametrize("last", ["completed", "popped"])
def test_a_crash_with_a_revived_message_is_its_dead_letters(send, last):
    send(do="business")
    settle()
    [letter_id] = DeadLetter.objects.values_list("id", flat=True)
    execute("SELECT dead_letter_revive(%s)", letter_id)
    dies("a")
    if last == "popped":
        messages.pop("order.created", owner="b")
    else:
        messages.complete(messages.claim("order.created", 1, "b", 60))
    found = [(kind, worker) for kind, worker, *_rest in told(dlq_event_id=letter_id)]
    assert found == [("queue", "last"), ("crash", "a"), ("revive", "b")]
    assert DeadLetter.objects.get().status == "SUCCEEDED"


def test_it_is_written_by_the_claim_itself_or_not_at_all(send):
    send(order_id=1)
    dies("a")
    with transaction.atomic():
        assert messages.claim("order.created", 1, "who dies before it commits", 60)
        transaction.set_rollback(True)
    assert told() == []
    assert messages.claim("order.created", 1, "b", 60)
    assert messages.claim("order.created", 1, "who comes too late", 60) == []
    assert told() == [crash("a")]


def test_what_was_given_back_or_failed_is_no_crash(send):
    send(order_id=1)
    messages.release(messages.claim("order.created", 1, "a", 60))
    [claim] = messages.claim("order.created", 1, "a", 60)
    messages.retry_later(claim, 0, "Hiccup: no", category="TRANSIENT")
    assert messages.claim("order.created", 1, "b", 60)
    assert [kind for kind, *_rest in told()] == ["queue"]


def test_an_unlogged_queue_tells_it_too():
    Queue.objects.create(name="quick", unlogged=True)
    assert policy("quick").unlogged
    messages.send("quick", "{}")
    dies("a", "quick")
    assert messages.claim("quick", 1, "b", 60)
    assert told() == [crash("a")]


def test_a_holder_of_whom_nothing_is_known_is_told_too(send):
    send(order_id=1)
    dies("a")
    Message.objects.update(owner=None, dequeued_time=None)
    assert messages.claim("order.created", 1, "b", 60)
    assert told() == [("crash", "", "failed", "", DIED.format("?"))]


def test_who_was_only_claimed_beside_it_is_not_blamed(send):
    """Three consumers die of the third of five; to the others nothing has happened."""
    ids = [send(order_id=number) for number in range(5)]
    assert len(messages.claim("order.created", 5, "a", -600)) == 5
    deaths, killer, reader = 1, ids[2], messages.QueueReader("order.created", "b")
    while True:
        [claim] = reader.claim(5, 600)
        if claim.id != killer:
            assert claim.crash_count == 0
        elif claim.crash_count == MAX_CRASHES:
            break
        else:
            Message.objects.filter(pk=killer).update(lease_until=timezone.now() - timedelta(hours=1))
            deaths += 1
    assert deaths == MAX_CRASHES, "the first counts, though nobody knew then whose it was"
    crashes = dict(Message.objects.values_list("id", "crash_count"))
    assert crashes == dict.fromkeys(ids, 0) | {killer: MAX_CRASHES}
    assert {attempt.message for attempt in Attempt.objects.all()} == {f"order.created/{killer}"}
