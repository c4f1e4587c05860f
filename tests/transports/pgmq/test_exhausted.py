"""A PGMQ queue that nobody changed: what its consumers never complete becomes a dead letter, once."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.db import transaction

from dlqconsole.core.errors import UnknownQueue
from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.retries import run
from dlqconsole.retries.policies import PolicyScope, keeping
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.pgmq import relay as steps
from dlqconsole.transports.pgmq.source import PgmqSource
from tests.accounts import person
from tests.plain_sql import execute, value
from tests.threads import at_once
from tests.transports.conftest import archived, on_queue

pytestmark = pytest.mark.django_db(transaction=True)

CLOUD_EVENT = (
    '{"specversion": "1.0", "id": "e1", "source": "shop", "type": "order.created", "data": {"n": 1}}'
)


def send(queue, message='{"order_id": 1}', headers=None):
    return value("SELECT * FROM pgmq.send(%s, %s::jsonb, %s::jsonb)", queue.remote_name, message, headers)


def test_what_was_read_too_often_is_a_dead_letter_with_its_whole_story(attached, read_out):
    message = send(attached, '{"total": 12345678901234567890.10, "who": "Žofie"}', '{"trace": "t1"}')
    read_out(6)
    assert relay.run_once()["dead-lettered"] == 1
    letter = DeadLetter.objects.get()
    assert (letter.queue, letter.source, letter.source_key) == (attached.name, attached.name, str(message))
    assert (letter.event_type, letter.original_message_id) == (attached.remote_name, message)
    assert letter.error_reason == "DeliveriesExhausted: read 6 times and never completed"
    assert letter.headers == {"trace": "t1"}
    assert value("SELECT payload::text FROM dlq_events") == (
        '{"who": "Žofie", "total": 12345678901234567890.10}'
    )
    assert Attempt.objects.get().error_reason == letter.error_reason
    assert (on_queue(attached), archived(attached)) == ([], [message])


def test_with_a_policy_that_revives_the_schedule_sends_it_back_without_a_handler(attached, read_out):
    values = {"action": "revive", "backoff": "fixed", "backoff_base_seconds": 60.0}
    keeping.add(PolicyScope(attached.remote_name), values, actor=person("ann"), reason="billing is theirs")
    send(attached)
    read_out(6)
    relay.run_once()
    assert DeadLetter.objects.get().status == "PENDING"
    execute("UPDATE dlq_events SET retry_after = now()")
    assert run.run().revived == 1
    assert relay.run_once()["forwarded"] == 1
    read_out(6)
    assert relay.run_once()["dead-lettered"] == 1
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.retry_count, letter.come_backs) == ("PENDING", 12, 1)
    assert letter.retry_after > letter.revived_at + timedelta(seconds=59)


def test_what_somebody_still_holds_or_may_still_read_is_left_alone(attached, read_out):
    send(attached)
    read_out(5)
    assert relay.run_once()["dead-lettered"] == 0
    execute("SELECT pgmq.read(%s, 60, 1)", attached.remote_name)
    assert relay.run_once()["dead-lettered"] == 0
    assert not DeadLetter.objects.exists()


@pytest.mark.parametrize(
    ("message", "headers", "named"),
    [
        (CLOUD_EVENT, None, ("order.created", "shop", "e1")),
        ("{}", '{"ce_type": "order.created", "ce_id": "7"}', ("order.created", "pgmq:", "7")),
        ("{}", '{"ce_type": 7}', (None, "pgmq:", None)),
        ('{"specversion": "0.3"}', None, (None, "pgmq:", None)),
    ],
)
def test_it_is_named_by_the_rule_of_everywhere(attached, read_out, message, headers, named):
    number = send(attached, message, headers)
    read_out(6)
    relay.run_once()
    letter = DeadLetter.objects.get()
    event_type, source, key = named
    assert letter.event_type == event_type or attached.remote_name
    assert letter.source == (attached.name if source == "pgmq:" else source)
    assert letter.source_key == key or str(number)


def test_the_schedule_gets_only_what_a_handler_of_ours_can_handle(attached, read_out):
    send(attached, CLOUD_EVENT)
    send(attached, CLOUD_EVENT.replace("order.created", "unheard.of").replace("e1", "e2"))
    read_out(6)
    relay.run_once()
    found = dict(DeadLetter.objects.values_list("event_type", "status"))
    assert found == {"order.created": "PENDING", "unheard.of": "EXHAUSTED"}


def test_the_same_event_twice_on_one_page_is_one_row_with_two_occurrences(attached, read_out):
    sent = [send(attached, CLOUD_EVENT), send(attached, CLOUD_EVENT), send(attached)]
    read_out(6)
    relay.run_once()
    assert sorted(DeadLetter.objects.values_list("occurrences", flat=True)) == [1, 2]
    assert archived(attached) == sent


def test_what_pgmq_allows_and_we_do_not_is_kept_all_the_same(attached, read_out):
    for message, headers in ((None, None), ("{}", "[1, 2]"), ("{}", "null"), ("null", '"text"')):
        send(attached, message, headers)
    read_out(6)
    relay.run_once()
    kept = DeadLetter.objects.order_by("original_message_id").values_list("payload", "headers")
    assert [headers for _payload, headers in kept] == [{}, {"headers": [1, 2]}, {}, {"headers": "text"}]
    assert on_queue(attached) == []


def test_a_queue_may_have_any_name_that_pgmq_gives_it(pgmq, transactional_db):
    name = 'We"ird 100% %s näme'
    execute("SELECT pgmq.create(%s)", name)
    try:
        queue = attachments.attach(f"pgmq:{name}", actor="test")
        message = PgmqSource().send(name, '{"n": 1}')
        for _ in range(6):
            execute("SELECT pgmq.read(%s, 0, 10)", name)
        assert relay.run_once()["dead-lettered"] == 1
        letter = DeadLetter.objects.get()
        assert (letter.queue, letter.original_message_id) == (f"pgmq:{name.lower()}", int(message))
        execute("SELECT dead_letter_revive(%s)", letter.id)
        assert relay.run_once()["forwarded"] == 1
        assert PgmqSource().metrics(queue.remote_name).visible == 1
    finally:
        execute("SELECT pgmq.drop_queue(%s)", name)


def test_a_queue_made_anew_counts_from_one_and_no_message_is_taken_for_an_older_one(attached, read_out):
    for message in ('{"life": 1}', '{"life": 2}', '{"life": 3}'):
        send(attached, message)
        read_out(6)
        relay.run_once()
        execute("SELECT pgmq.drop_queue(%s)", attached.remote_name)
        execute("SELECT pgmq.create(%s)", attached.remote_name)
    assert sorted(letter.payload["life"] for letter in DeadLetter.objects.all()) == [1, 2, 3]


def test_a_copy_in_the_archive_does_not_stop_the_queue(attached, read_out):
    first, second = send(attached), send(attached)
    execute(
        f"INSERT INTO pgmq.a_{attached.remote_name} (msg_id, vt, message) VALUES (%s, now(), '{{}}')", first
    )
    read_out(6)
    relay.run_once()
    assert DeadLetter.objects.count() == 2
    assert (on_queue(attached), archived(attached)) == ([], [first, second])


def test_pages_end_after_so_many_bytes_and_come_in_order(attached, read_out, monkeypatch):
    sent = [send(attached, f'{{"n": {number}}}') for number in range(10)]
    read_out(6)
    monkeypatch.setattr(steps, "PAGE_BYTES", 60)
    pages = []
    while (done := steps.dead_letter_exhausted(attached, 500)) > 0:
        pages.append(done)
    assert sum(pages) == 10
    assert 1 < len(pages) < 10
    letters = DeadLetter.objects.order_by("id").values_list("original_message_id", flat=True)
    assert sorted(letters) == sent
    assert all(earlier < later for earlier, later in pairwise(archived(attached)))


def test_a_failing_archive_undoes_the_dead_letter_with_it(attached, read_out):
    send(attached)
    read_out(6)
    table = f"pgmq.a_{attached.remote_name}"
    execute(f"ALTER TABLE {table} ADD CONSTRAINT full_up CHECK (false)")
    assert relay.run_once()["failed"] == 1
    assert not DeadLetter.objects.exists()
    execute(f"ALTER TABLE {table} DROP CONSTRAINT full_up")
    assert relay.run_once()["dead-lettered"] == 1
    assert (on_queue(attached), DeadLetter.objects.count()) == ([], 1)


def test_four_relays_at_once_lose_and_double_nothing(attached, read_out):
    execute(
        "SELECT pgmq.send(%s, jsonb_build_object('n', n)) FROM generate_series(1, 2000) n",
        attached.remote_name,
    )
    # the same events again and again, so that relays meet on one row
    for _ in range(100):
        send(attached, CLOUD_EVENT)
    read_out(6)
    at_once([relay.run_once] * 4)
    assert on_queue(attached) == []
    assert len(archived(attached)) == 2100
    assert DeadLetter.objects.count() == 2001
    assert DeadLetter.objects.get(source_key="e1").occurrences == 100
    plain = DeadLetter.objects.exclude(source_key="e1")
    assert sorted(letter.payload["n"] for letter in plain) == list(range(1, 2001))


def test_without_pgmq_there_is_one_clear_sentence(pgmq, db):
    with transaction.atomic():
        execute("DROP SCHEMA pgmq CASCADE")
        with pytest.raises(TransportUnavailable, match="PGMQ is not installed in this database"):
            attachments.attach("pgmq:orders", actor="test")
        transaction.set_rollback(True)


def test_a_role_that_may_not_use_pgmq_is_told_what_to_grant(pgmq_queue):
    with transaction.atomic():
        execute("CREATE ROLE nobody_special")
        execute("SET LOCAL ROLE nobody_special")
        with pytest.raises(TransportUnavailable, match="Grant its database role usage of the schema pgmq"):
            PgmqSource().metrics(pgmq_queue)
        transaction.set_rollback(True)


@pytest.mark.parametrize("name", ["", "nowhere", "x" * 48, "nul\x00", "orders; DROP TABLE dlq_events", "a'b"])
def test_a_queue_that_is_not_there_is_one_sentence(pgmq, db, name):
    with pytest.raises(UnknownQueue) as refused:
        PgmqSource().send(name, "{}")
    assert str(refused.value).count("\n") == 0
