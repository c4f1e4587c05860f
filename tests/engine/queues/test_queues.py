"""Queues are made, changed, paused and dropped: each with a reason, each in the audit log."""

import pytest

from dlqconsole.core import messages
from dlqconsole.core.errors import InvalidQueue, UnknownQueue
from dlqconsole.core.messages.queues import forget, policy
from dlqconsole.engine.models import AuditEntry, DeadLetter, Message, Queue, QueueActivity
from dlqconsole.engine.queues import changes as queues
from tests.plain_sql import execute, row

WHO = {"actor": "user:ann", "reason": "because"}


def entries(action):
    return list(AuditEntry.objects.filter(action=action).order_by("id"))


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
@pytest.mark.parametrize("name", ["", "pgmq:orders", "x" * 256, "a\x00", "\ud800"])
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
            "orders", **WHO, lease_seconds=0, backoff_jitter=1.5, retention="burn", unlogged="perhaps",
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
    assert policy("orders").lease_seconds == 60
    assert queues.change("orders", **WHO, lease_seconds=90, max_retries=3) == {"lease_seconds": [60, 90]}
    assert policy("orders").lease_seconds == 90
    assert queues.change("orders", **WHO, lease_seconds=90) == {}
    [entry] = entries("change")
    assert entry.detail == {"changes": {"lease_seconds": [60, 90]}}


@pytest.mark.django_db
def test_only_an_empty_queue_is_moved_to_the_unlogged_table(send):
    queues.create("orders", **WHO)
    send("orders", order_id=1)
    with pytest.raises(InvalidQueue, match="while it is empty"):
        queues.change("orders", **WHO, unlogged=True)
    Message.objects.all().delete()
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
    forget()
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


def put_by_sql(queue: str) -> None:
    execute("INSERT INTO message_queue (queue, payload) VALUES (%s, '{}')", queue)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["my/queue é", "-x", "com.shop.v1.InvoiceCreated" + "x" * 229])
def test_whatever_plain_sql_may_call_a_queue_it_is_one_like_any_other(name):
    put_by_sql(name)
    assert queues.pause(name, **WHO)
    assert messages.claim(name, 1, "me", 60) == []
    assert queues.resume(name, **WHO)
    queues.change(name, **WHO, max_retries=7)
    messages.send(name, "{}")
    assert len(messages.claim(name, 9, "me", 60)) == 2
    assert row("SELECT queue_create(%s)", name) == (False,), "there is its policy"


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["nope", "", "a\x00b", "\ud800", "x" * 300])
def test_an_unknown_queue_is_one_sentence_and_nothing_is_written(name):
    for act in (queues.change, queues.pause, queues.resume, queues.drop):
        with pytest.raises(UnknownQueue, match="There is no queue"):
            act(name, **WHO)
    assert not AuditEntry.objects.exists()
    assert not Queue.objects.exists()


@pytest.mark.django_db
def test_a_queue_with_messages_is_not_dropped(send, letter):
    queues.create("orders", **WHO)
    QueueActivity.objects.create(queue="orders", minute="2026-01-01T00:00:00Z", completed=1)
    dead = letter(queue="orders")
    send("orders", order_id=1), send("orders", order_id=2)
    claims = messages.claim("orders", 1, "me", 60)
    with pytest.raises(InvalidQueue, match="holds 2 messages, 1 of them in flight: purge it first"):
        queues.drop("orders", **WHO)
    assert Message.objects.count() == 2
    messages.complete(messages.claim("orders", 1, "me", 60))
    with pytest.raises(InvalidQueue, match="holds 1 message, 1 of them in flight: wait for the consumers"):
        queues.drop("orders", **WHO)
    messages.complete(claims)
    queues.drop("orders", **WHO)
    assert not Queue.objects.exists()
    assert not QueueActivity.objects.exists()
    assert DeadLetter.objects.get().pk == dead
    assert len(entries("drop")) == 1
    with pytest.raises(InvalidQueue, match="only its dead letters"):
        queues.drop("orders", **WHO)


@pytest.mark.django_db
def test_an_empty_queue_is_dropped_and_its_policy_forgotten_at_once():
    queues.create("orders", **WHO, max_retries=9)
    assert policy("orders").max_retries == 9
    queues.drop("orders", **WHO)
    assert policy("orders").max_retries == 3
