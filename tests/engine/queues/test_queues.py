"""Queues are made, changed, paused, purged and dropped: each with a reason, each in the audit log."""

import os
import subprocess
import sys
import threading

import orjson
import pytest
from django.db import connection

from dlqconsole.engine import messages
from dlqconsole.engine.errors import InvalidQueue, UnknownQueue
from dlqconsole.engine.messages import policies
from dlqconsole.engine.models import AuditEntry, DeadLetter, Message, Queue, QueueActivity
from dlqconsole.engine.queues import changes as queues
from dlqconsole.engine.queues import purging
from tests.operations.processes import environment_here
from tests.waiting import eventually

WHO = {"actor": "user:ann", "reason": "because"}


def entries(action):
    return list(AuditEntry.objects.filter(action=action).order_by("id"))


@pytest.fixture
def revived(letter):
    """revived() is a dead letter that was put back on the queue orders; its id."""

    def make(**columns):
        one = letter(queue="orders", **columns)
        with connection.cursor() as cursor:
            cursor.execute("SELECT revive_dead_letter(%s)", [one])
        return one

    return make


@pytest.mark.django_db
def test_a_queue_is_made_with_its_policy_and_an_audit_row():
    queue = queues.create("orders", **WHO, lease_seconds=120, retention="archive", rate_limit=2.5)
    assert (queue.lease_seconds, queue.retention, queue.rate_limit, queue.max_retries) == (
        120, "archive", 2.5, 3
    )  # fmt: skip
    [entry] = entries("create")
    assert (entry.actor, entry.target, entry.reason) == ("user:ann", "queue:orders", "because")
    assert entry.detail["lease_seconds"] == 120


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["", "a b", "-a", ".a", "a/b", "pgmq:orders", "x" * 48, "é", "a\x00", "a\n", "%s", "a;drop"]
)
def test_a_name_that_would_make_trouble_is_refused_with_a_sentence(name):
    with pytest.raises(InvalidQueue, match="cannot be called"):
        queues.create(name, **WHO)
    assert not Queue.objects.exists()


@pytest.mark.django_db
def test_names_that_differ_only_in_capitals_are_one_too_many(send):
    queues.create("Orders", **WHO)
    send("Bills", order_id=1)
    for name in ("orders", "bills"):
        with pytest.raises(InvalidQueue, match="only in capitals"):
            queues.create(name, **WHO)
    with pytest.raises(InvalidQueue, match="already"):
        queues.create("Orders", **WHO)
    assert queues.create("Bills", **WHO).name == "Bills"


@pytest.mark.django_db
def test_every_wrong_value_has_its_sentence_and_nothing_is_made():
    with pytest.raises(InvalidQueue) as refusal:
        queues.create(
            "orders", **WHO, lease_seconds=0, backoff_jitter=1.5, retention="burn", unlogged="yes",
            rate_limit=float("nan"), max_retries=2.5, colour="red",
        )  # fmt: skip
    for words in ("Lease seconds", "Backoff jitter", "Retention", "Unlogged", "Rate limit", "Max retries"):
        assert words in str(refusal.value)
    assert "no colour" in str(refusal.value)
    assert not Queue.objects.exists()
    assert not entries("create")


@pytest.mark.django_db
def test_a_change_is_seen_at_once_and_audited_with_old_and_new():
    queues.create("orders", **WHO)
    assert policies.policy("orders").lease_seconds == 60
    assert queues.change("orders", **WHO, lease_seconds=90, max_retries=3) == {"lease_seconds": [60, 90]}
    assert policies.policy("orders").lease_seconds == 90
    assert queues.change("orders", **WHO, lease_seconds=90) == {}
    [entry] = entries("change")
    assert entry.detail == {"changes": {"lease_seconds": [60, 90]}}


@pytest.mark.django_db
def test_only_an_empty_queue_is_moved_to_the_unlogged_table(send):
    queues.create("orders", **WHO)
    send("orders", order_id=1)
    with pytest.raises(InvalidQueue, match="while it is empty"):
        queues.change("orders", **WHO, unlogged=True)
    purging.purge("orders", **WHO)
    assert queues.change("orders", **WHO, unlogged=True) == {"unlogged": [False, True]}


@pytest.mark.django_db
def test_where_groups_become_labels_nobody_waits_any_more(monkeypatch):
    monkeypatch.setattr(queues, "PAGE", 2)
    queues.create("orders", **WHO)
    for _ in range(5):
        messages.send("orders", b"{}", group_key="g")
    assert len(messages.claim("orders", 5, "me", 60)) == 1
    queues.change("orders", **WHO, fifo_groups=False)
    assert len(messages.claim("orders", 5, "me", 60)) == 4


@pytest.mark.django_db
def test_what_was_sent_to_the_unlogged_table_too_late_is_brought_along(send):
    queues.create("orders", **WHO, unlogged=True)
    one = send("orders", order_id=1)
    Queue.objects.update(unlogged=False)
    policies.forget()
    assert messages.claim("orders", 1, "me", 60) == []
    assert queues._gather("orders") == 1
    assert [claim.id for claim in messages.claim("orders", 1, "me", 60)] == [one]


@pytest.mark.django_db
def test_a_paused_queue_gives_nothing_until_it_goes_on(send):
    send("orders", order_id=1)
    assert queues.pause("orders", **WHO)
    assert messages.claim("orders", 1, "me", 60) == []
    assert not queues.pause("orders", **WHO)
    assert queues.resume("orders", **WHO)
    assert len(messages.claim("orders", 1, "me", 60)) == 1
    assert [len(entries(action)) for action in ("pause", "resume")] == [1, 1]


@pytest.mark.django_db
def test_a_queue_of_plain_sql_with_an_odd_name_can_be_paused_but_not_one_too_long(send):
    send("my/queue é", order_id=1)
    assert queues.pause("my/queue é", **WHO)
    send("x" * 255, order_id=1)
    with pytest.raises(InvalidQueue, match="47"):
        queues.pause("x" * 255, **WHO)
    assert purging.purge("x" * 255, **WHO).purged == 1


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["nope", "", "a\x00b", "\ud800", "x" * 300])
def test_an_unknown_queue_is_one_sentence_and_nothing_is_written(name):
    for act in (queues.change, queues.pause, queues.resume, queues.drop, purging.purge):
        with pytest.raises(UnknownQueue, match="There is no queue"):
            act(name, **WHO)
    assert not AuditEntry.objects.exists()
    assert not Queue.objects.exists()


@pytest.mark.django_db
def test_a_purge_takes_all_that_waits_and_leaves_what_is_in_flight(send, monkeypatch):
    monkeypatch.setattr(purging, "PAGE", 3)
    for number in range(8):
        send("orders", order_id=number)
    for number in range(4):
        messages.send("orders", orjson.dumps({"order_id": number}), delay=3600.0)
        messages.send("orders", orjson.dumps({"order_id": number}), group_key="g", priority=number)
    send("bills", order_id=1)
    for number in range(4):
        Message.objects.create(queue="orders", payload=number, status="held")
    held = messages.claim("orders", 2, "me", 60)
    assert purging.purgeable("orders") == 18
    done = purging.purge("orders", **WHO, expect=18)
    assert (done.purged, done.in_flight, done.left, done.returned) == (18, 2, 0, 0)
    assert set(Message.objects.values_list("queue", "status")) == {
        ("orders", "processing"),
        ("bills", "pending"),
    }
    assert messages.complete(held) == {claim.id for claim in held}
    assert sum(entry.detail["purged"] for entry in entries("purge")) == 18
    assert len(entries("purge")) > 4


@pytest.mark.django_db
def test_a_purge_of_another_number_than_expected_does_nothing(send):
    send("orders", order_id=1)
    with pytest.raises(InvalidQueue, match=r"holds 1 messages .* not 2"):
        purging.purge("orders", **WHO, expect=2)
    assert Message.objects.count() == 1
    assert not entries("purge")


@pytest.mark.django_db
def test_a_purge_of_nothing_is_still_written_down(send):
    queues.create("orders", **WHO)
    assert purging.purge("orders", **WHO).purged == 0
    assert [entry.detail for entry in entries("purge")] == [{"purged": 0, "returned": 0}]


@pytest.mark.django_db
def test_no_dead_letter_stays_revived_when_its_message_is_purged(revived, settings):
    settings.DLQ_RETRY_MAX_RETRIES = 5
    waits, exhausted = revived(), revived(retry_count=5)
    later = revived()
    DeadLetter.objects.filter(pk=later).update(status="SUCCEEDED")
    done = purging.purge("orders", **WHO)
    assert (done.purged, done.returned) == (3, 2)
    assert dict(DeadLetter.objects.values_list("id", "status")) == {
        waits: "PENDING", exhausted: "EXHAUSTED", later: "SUCCEEDED"
    }  # fmt: skip
    [entry] = entries("purge")
    assert entry.detail == {"purged": 3, "returned": 2}


@pytest.mark.django_db
def test_what_was_sent_behind_a_purged_message_is_called(send, monkeypatch):
    """The purge's scope is what stood there when it began; who waits behind it must not wait for ever."""
    first = messages.send("orders", b"{}", group_key="g")
    monkeypatch.setattr(purging, "_last", lambda: first)
    second = messages.send("orders", b"{}", group_key="g")
    assert purging.purge("orders", **WHO).purged == 1
    assert Message.objects.get().pk == second
    assert [claim.id for claim in messages.claim("orders", 5, "me", 60)] == [second]


@pytest.mark.django_db
def test_a_purge_out_of_time_says_what_is_left_and_is_counted_exactly(send):
    for number in range(3):
        send("orders", order_id=number)
    done = purging.purge("orders", **WHO, seconds=0)
    assert (done.purged, done.left) == (0, 3)
    assert purging.purge("orders", **WHO).purged == 3


@pytest.mark.django_db(transaction=True)
def test_a_purge_beside_consumers_and_producers_loses_and_counts_nothing_twice(send, monkeypatch):
    monkeypatch.setattr(purging, "PAGE", 20)
    for number in range(600):
        send("orders", order_id=number)
    taken = []

    def consume():
        while claims := messages.claim("orders", 7, "me", 60):
            taken.extend(messages.complete(claims))
        connection.close()

    consumers = [threading.Thread(target=consume) for _ in range(2)]
    for consumer in consumers:
        consumer.start()
    done = purging.purge("orders", **WHO)
    for consumer in consumers:
        consumer.join()
    assert done.purged + len(taken) == 600
    assert not Message.objects.exists()
    assert sum(entry.detail["purged"] for entry in entries("purge")) == done.purged


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_purge_that_is_killed_is_counted_exactly_and_can_be_gone_on_with():
    messages.send_many("orders", [messages.NewMessage(b"{}")] * 60_000)
    before = sessions()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "queues", "purge", "orders", "--because", "load test"],
        env=os.environ | environment_here(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    eventually(lambda: entries("purge"))
    process.kill()
    process.wait()
    # its backend may still finish the page that it was in
    eventually(lambda: not sessions() - before)
    left = purging.purgeable("orders")
    assert 0 < left < 60_000
    assert left + purged_by_the_audit() == 60_000
    assert purging.purge("orders", **WHO).purged == left
    assert purged_by_the_audit() == 60_000


def sessions() -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return {row[0] for row in cursor.fetchall()}


def purged_by_the_audit() -> int:
    return sum(entry.detail["purged"] for entry in entries("purge"))


@pytest.mark.django_db
def test_a_queue_with_messages_is_not_dropped_unless_forced(send, letter):
    queues.create("orders", **WHO)
    QueueActivity.objects.create(queue="orders", minute="2026-01-01T00:00:00Z", completed=1)
    dead = letter(queue="orders")
    send("orders", order_id=1), send("orders", order_id=2)
    [claim] = messages.claim("orders", 1, "me", 60)
    with pytest.raises(InvalidQueue, match="holds 2 messages, 1 of them in flight"):
        queues.drop("orders", **WHO)
    assert Message.objects.count() == 2
    assert queues.drop("orders", **WHO, force=True).purged == 2
    assert messages.complete([claim]) == set()
    assert not Queue.objects.exists()
    assert not QueueActivity.objects.exists()
    assert DeadLetter.objects.get().pk == dead
    assert [entry.detail for entry in entries("drop")] == [{"purged": 2}]
    with pytest.raises(InvalidQueue, match="only its dead letters"):
        queues.drop("orders", **WHO)


@pytest.mark.django_db
def test_an_empty_queue_is_dropped_and_its_policy_forgotten_at_once():
    queues.create("orders", **WHO, max_retries=9)
    assert policies.policy("orders").max_retries == 9
    queues.drop("orders", **WHO)
    assert policies.policy("orders").max_retries == 3
