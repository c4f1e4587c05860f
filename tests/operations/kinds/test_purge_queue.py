"""A queue's purge is an operation: previewed, approved, worked off in pages, with a receipt, and archived."""

import threading
from uuid import uuid4

import orjson
import pytest

from dlqconsole.core import messages
from dlqconsole.engine.models import (
    ArchivedMessage,
    Attempt,
    AuditEntry,
    DeadLetter,
    Message,
)
from dlqconsole.engine.queues import changes as queues
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.items import MESSAGES
from dlqconsole.operations.models import Operation, OperationMessage
from dlqconsole.operations.receipts import files, receipt
from dlqconsole.operations.requests import controls, service
from dlqconsole.operations.requests.preview import preview
from dlqconsole.operations.requests.scope import ItemsOf, QueueMessages
from dlqconsole.operations.work import run
from dlqconsole.processing import crash_points
from dlqconsole.transports.models import AttachedQueue
from tests.accounts import ALICE, person
from tests.operations.conftest import ask, counts, work
from tests.plain_sql import column, execute
from tests.threads import meanwhile

pytestmark = pytest.mark.django_db(transaction=True)

WHO = {"actor": "user:ann", "reason": "because"}


def send(number, queue="orders", **how):
    return [messages.send(queue, orjson.dumps({"order_id": each}), **how) for each in range(number)]


def purge(queue="orders", **given):
    return ask("purge_queue", queue=queue, **given)


def standing():
    return dict(column("SELECT ROW (status, count(*)) FROM message_queue GROUP BY status"))


def reasons(operation):
    return [(each.status, each.reason, each.count) for each in receipt.outcomes(operation.pk, MESSAGES)]


@pytest.fixture
def revived(letter):
    """revived() is a dead letter whose message stands on the queue orders; its id."""

    def make(**columns):
        one = letter(queue="orders", **columns)
        execute("SELECT dead_letter_revive(%s)", one)
        return one

    return make


def test_it_takes_all_that_waits_and_leaves_what_is_in_flight_and_other_queues(settings):
    settings.DLQ_OPERATION_PAGE = 3
    send(8), send(1, "bills"), send(4, delay=3600.0)
    for number in range(4):
        send(1, group_key="g", priority=number)
        Message.objects.create(queue="orders", payload=number, status="held")
    held = messages.claim("orders", 2, "me", 60)
    found = preview("purge_queue", QueueMessages.now("orders"))
    assert (found.total, found.eligible) == (18, 18)
    assert {each.status: each.number for each in found.standing} == {
        "pending": 7, "scheduled": 4, "waiting": 3, "held": 4, "processing": 2,
    }  # fmt: skip
    operation = purge(expected=found.total)
    work()
    assert counts(operation) == ("completed", 18, 18, 0, 0)
    assert set(Message.objects.values_list("queue", "status")) == {
        ("orders", "processing"), ("bills", "pending"),
    }  # fmt: skip
    assert messages.complete(held) == {claim.id for claim in held}
    pages = AuditEntry.objects.filter(action="purge_queue", operation_id=operation.pk)
    assert sum(entry.detail["done"] for entry in pages) == 18
    assert len(pages) > 4


def test_what_was_sent_after_it_was_asked_for_stays_and_who_waited_behind_is_called():
    send(1, group_key="g")
    operation = purge()
    late = send(1, group_key="g")
    work()
    assert counts(operation) == ("completed", 1, 1, 0, 0)
    assert receipt.later_arrivals(operation) == 1
    assert [claim.id for claim in messages.claim("orders", 5, "me", 60)] == late


def test_what_a_consumer_takes_after_the_selection_is_left_to_it(monkeypatch):
    send(4)
    operation = purge()
    taken = []

    def take(place):
        if place == "operation.frozen" and not taken and OperationMessage.objects.exists():
            taken.extend(messages.claim("orders", 2, "me", 60))
            messages.complete(taken[:1])

    monkeypatch.setattr(crash_points, "reach", take)
    work()
    assert counts(operation) == ("completed", 4, 2, 2, 0)
    assert reasons(operation) == [
        ("done", "", 2),
        ("skipped", "had left the queue by then", 1),
        ("skipped", "is in a consumer's hands", 1),
    ]
    assert messages.complete(taken[1:]) == {taken[1].id}


def test_what_a_dead_consumer_held_goes():
    send(1)
    messages.claim("orders", 1, "dead", 60)
    execute("UPDATE message_queue SET lease_until = now() - interval '1 second'")
    assert preview("purge_queue", QueueMessages.now("orders")).total == 1
    operation = purge()
    work()
    assert counts(operation) == ("completed", 1, 1, 0, 0)


@pytest.mark.parametrize("table", ["message_queue", "dlq_events"])
def test_what_somebody_has_locked_is_met_again(revived, table):
    letter_id = revived()
    send(1)
    one = letter_id if table == "dlq_events" else Message.objects.get(dlq_event_id=letter_id).pk
    operation = purge()
    is_locked, may_end = threading.Event(), threading.Event()

    def lock():
        execute("BEGIN")
        execute(f"SELECT 1 FROM {table} WHERE id = %s FOR UPDATE", one)
        is_locked.set()
        may_end.wait(10)
        execute("COMMIT")

    with meanwhile([lock]):
        is_locked.wait(10)
        run.run(operation.pk, 1.0)
        operation.refresh_from_db()
        assert (operation.done, operation.remaining) == (1, 1)
        may_end.set()
    work()
    assert counts(operation) == ("completed", 2, 2, 0, 0)


def test_no_dead_letter_stays_revived_when_its_message_goes(revived, letter):
    sealed = letter(queue="orders", status="QUARANTINED")
    ask("revive", ids=[sealed])
    work()
    waits, exhausted, later = revived(), revived(status="EXHAUSTED"), revived()
    DeadLetter.objects.filter(pk=later).update(status="SUCCEEDED")
    assert sum(each.revived for each in preview("purge_queue", QueueMessages.now("orders")).standing) == 3
    operation = purge()
    work()
    assert counts(operation) == ("completed", 4, 4, 0, 0)
    assert dict(DeadLetter.objects.values_list("id", "status")) == {
        waits: "PENDING", exhausted: "EXHAUSTED", later: "SUCCEEDED", sealed: "QUARANTINED",
    }  # fmt: skip
    told = Attempt.objects.filter(outcome="lost").values_list("dlq_event_id", "error_reason")
    said = f"its message was purged from orders by {ALICE}"
    assert dict(told) == dict.fromkeys((waits, exhausted, sealed), said)
    assert ("done", "its dead letter is QUARANTINED again", 1) in reasons(operation)
    assert receipt.items(operation.pk, of=MESSAGES)[0].dead_letter_id == sealed


def test_an_archiving_queue_keeps_what_is_purged_as_long_as_it_says():
    queues.create("orders", **WHO, retention="archive", archive_days=9)
    (one,) = send(1, priority=3)
    operation = purge()
    work()
    assert reasons(operation) == [("done", "kept in the archive", 1)]
    kept = ArchivedMessage.objects.get(pk=one)
    assert (kept.queue, kept.payload, kept.priority) == ("orders", {"order_id": 0}, 3)
    assert (kept.keep_until - kept.archived_at).days == 9


def test_what_an_unlogged_queue_holds_goes_too():
    queues.create("orders", **WHO, unlogged=True)
    send(3)
    operation = purge()
    work()
    assert counts(operation) == ("completed", 3, 3, 0, 0)


@pytest.mark.parametrize("place", ["freezing", "frozen", "paging", "paged"])
def test_a_worker_killed_anywhere_is_followed_by_another_and_each_counts_once(monkeypatch, settings, place):
    settings.DLQ_OPERATION_PAGE, settings.DLQ_LEASE_SECONDS = 3, 1
    queues.create("orders", **WHO, retention="archive")
    send(10)
    operation = purge()

    class Killed(BaseException):
        """As sudden as kill -9: nobody catches it."""

    def die(reached):
        if reached == f"operation.{place}":
            monkeypatch.setattr(crash_points, "reach", lambda _name: None)
            raise Killed

    monkeypatch.setattr(crash_points, "reach", die)
    with pytest.raises(Killed):
        work()
    work()
    assert counts(operation) == ("completed", 10, 10, 0, 0)
    assert operation.adoptions == 1
    assert ArchivedMessage.objects.count() == 10
    pages = AuditEntry.objects.filter(action="purge_queue").values_list("detail", flat=True)
    assert sum(detail["done"] for detail in pages) == 10


def test_beside_consumers_and_producers_nothing_is_lost_or_counted_twice(settings):
    settings.DLQ_OPERATION_PAGE = 20
    messages.send_many("orders", [messages.NewMessage(b"{}")] * 300)
    taken = []

    def consume():
        while claims := messages.claim("orders", 7, "me", 60):
            taken.extend(messages.complete(claims))

    operation = purge()
    with meanwhile([consume] * 2):
        work()
    operation.refresh_from_db()
    assert operation.done + len(taken) == 300
    assert not Message.objects.exists()


def test_above_the_threshold_a_second_person_approves_exactly_those(settings):
    settings.DLQ_FOUR_EYES_ABOVE = 3
    alice, bob = person("alice"), person("bob")
    send(4)
    operation = purge(expected=4, actor=alice)
    work()
    assert counts(operation)[:2] == ("awaiting", 4)
    send(1)
    assert Message.objects.count() == 5
    with pytest.raises(OperationRefused, match="somebody else has to approve"):
        controls.approve(operation.pk, alice)
    controls.approve(operation.pk, bob)
    work()
    assert counts(operation) == ("completed", 4, 4, 0, 0)
    assert Message.objects.count() == 1


def test_it_is_paused_and_cancelled_between_pages(settings):
    settings.DLQ_OPERATION_PAGE = 2
    send(6)
    operation = purge(rate=1)
    run.run(operation.pk, 0.5)
    operation.refresh_from_db()
    assert 0 < operation.done < 6
    assert controls.pause(operation.pk, "alice")
    assert service.cancel(operation.pk, "alice")
    operation.refresh_from_db()
    assert operation.status == "cancelled"
    assert Message.objects.count() == operation.remaining == 6 - operation.done
    assert "cannot be taken back" in controls.why_not_undone(operation)
    with pytest.raises(OperationRefused, match="no dead letters"):
        ItemsOf(operation.pk, "remaining").columns()


def test_its_receipt_is_a_csv_of_messages(revived):
    one = revived()
    operation = purge()
    work()
    lines = b"".join(files.items_csv(operation.pk, MESSAGES)).decode().splitlines()
    number = receipt.items(operation.pk, of=MESSAGES)[0].message_id
    assert [line.replace('"', "") for line in lines] == [
        "message,outcome,reason,dead_letter,status_now",
        f"{number},done,its dead letter is PENDING again,{one},gone",
    ]


def test_a_purge_of_nothing_is_still_written_down():
    queues.create("orders", **WHO)
    operation = purge()
    work()
    assert counts(operation) == ("completed", 0, 0, 0, 0)
    assert AuditEntry.objects.filter(action="request purge_queue", reason="a test").exists()


@pytest.mark.parametrize("name", ["nope", "", "a\x00b", "x" * 300])
def test_an_unknown_queue_is_one_sentence_and_nothing_is_written(name):
    with pytest.raises(OperationRefused, match="There is no queue"):
        purge(name)
    assert not Operation.objects.exists()


def test_the_messages_of_a_topic_cannot_be_removed():
    AttachedQueue.objects.create(name="kafka:orders", transport="kafka", remote_name="orders")
    with pytest.raises(OperationRefused, match="cannot be looked at here, one by one"):
        purge("kafka:orders")


def test_the_same_click_twice_is_one_purge():
    send(1)
    key = uuid4()
    assert purge(key=key).pk == purge(key=key).pk
