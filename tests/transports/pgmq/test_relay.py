"""The relay: revived dead letters go back to their PGMQ queue, and what is completed there has succeeded."""

import random
import signal
import threading
import time

import orjson
import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, transaction
from django.db.models import Count

from dlqconsole.celery import app
from dlqconsole.core.errors import InvalidMessage
from dlqconsole.engine.models import Attempt, DeadLetter, Message
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import ForwardedMessage
from dlqconsole.transports.pgmq import relay as steps
from dlqconsole.transports.sql import sql
from tests.operations.processes import Processes
from tests.plain_sql import execute, rows, value
from tests.threads import at_once
from tests.transports.conftest import archived, on_queue, status
from tests.waiting import as_soon_as, eventually

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_revived_dead_letter_is_on_its_queue_again_with_its_headers(attached, revived):
    number = revived(payload='{"total": 12345678901234567890.10}', headers='{"trace": "t1"}')
    assert relay.run_once()["forwarded"] == 1
    [(message, headers, read_ct)] = rows(
        f"SELECT message::text, headers::text, read_ct FROM pgmq.q_{attached.remote_name}"
    )
    assert message == '{"total": 12345678901234567890.10}'
    letter = DeadLetter.objects.get()
    assert read_ct == 0
    assert orjson.loads(headers) == {
        "trace": "t1",
        "ce_type": "order.created",
        "ce_source": letter.source,
        "ce_id": letter.source_key,
        "x-dlq-event-id": str(number),
        "x-dlq-revive-seq": "1",
    }
    assert not Message.objects.exists()
    assert status(number) == "REVIVED"


@pytest.mark.parametrize("finish", ["delete", "archive"])
def test_what_their_consumers_complete_has_succeeded(attached, revived, finish):
    number = revived()
    relay.run_once()
    assert relay.run_once()["left"] == 0
    execute(f"SELECT pgmq.{finish}(%s, %s::bigint)", attached.remote_name, on_queue(attached)[0])
    assert relay.run_once()["left"] == 1
    assert status(number) == "SUCCEEDED"
    attempt = Attempt.objects.get()
    assert (attempt.kind, attempt.outcome, attempt.worker) == (
        "revive",
        "succeeded",
        f"consumers of {attached.name}",
    )
    assert not ForwardedMessage.objects.exists()


def test_what_fails_again_is_the_same_dead_letter_and_can_be_revived_again(attached, revived, read_out):
    number = revived()
    relay.run_once()
    read_out(6)
    assert relay.run_once()["dead-lettered"] == 1
    letter = DeadLetter.objects.get()
    assert (letter.pk, letter.status, letter.revive_count, letter.occurrences) == (number, "PENDING", 1, 2)
    assert letter.error_reason == "DeliveriesExhausted: read 6 times and never completed"
    execute("SELECT dead_letter_revive(%s)", number)
    relay.run_once()
    assert value(f"SELECT headers ->> 'x-dlq-revive-seq' FROM pgmq.q_{attached.remote_name}") == "2"
    execute("SELECT pgmq.pop(%s)", attached.remote_name)
    relay.run_once()
    assert status(number) == "SUCCEEDED"
    outcomes = Attempt.objects.order_by("id").values_list("kind", "outcome")
    assert list(outcomes) == [("reported", "failed"), ("revive", "failed"), ("revive", "succeeded")]


def test_gone_because_we_dead_lettered_it_is_never_taken_for_success(attached, revived, read_out):
    numbers = {revived() for _ in range(20)}
    relay.run_once()
    read_out(6)
    buried, looked = threading.Event(), threading.Event()

    def bury_slowly():
        try:
            with transaction.atomic():
                steps.dead_letter_exhausted(attached, 500)
                buried.set()
                looked.wait(10)
        finally:
            connection.close()

    other = threading.Thread(target=bury_slowly)
    other.start()
    assert buried.wait(10)
    assert steps.watch(attached, 500) == 0  # to us they still stand there
    looked.set()
    other.join()
    steps.watch(attached, 500)
    assert set(DeadLetter.objects.filter(status="PENDING").values_list("pk", flat=True)) == numbers
    assert not ForwardedMessage.objects.exists()


def test_a_note_left_behind_does_not_heal_a_dead_letter_that_came_back(attached, revived, read_out):
    number = revived()
    relay.run_once()
    note = ForwardedMessage.objects.get()
    read_out(6)
    steps.dead_letter_exhausted(attached, 500)
    note.save(force_insert=True)
    assert steps.watch(attached, 500) == 1
    assert status(number) == "PENDING"
    assert not ForwardedMessage.objects.exists()


def test_headers_that_anybody_wrote_take_back_no_other_dead_letter(attached, revived, letter, read_out):
    elsewhere = letter("order.created", queue="orders")
    execute("SELECT dead_letter_revive(%s)", elsewhere)
    execute(
        'SELECT pgmq.send(%s, \'{}\', \'{"x-dlq-event-id": "%s", "x-dlq-revive-seq": "1"}\'::jsonb)',
        attached.remote_name,
        elsewhere,
    )
    execute(
        'SELECT pgmq.send(%s, \'{}\', \'{"x-dlq-event-id": "9e9", "x-dlq-revive-seq": -1}\'::jsonb)',
        attached.remote_name,
    )
    read_out(6)
    relay.run_once()
    assert status(elsewhere) == "REVIVED"
    assert DeadLetter.objects.count() == 3


def test_a_message_sent_to_the_queue_is_forwarded_without_our_notes(attached):
    execute("INSERT INTO message_queue (queue, payload) VALUES (%s, '{\"n\": 1}')", attached.name)
    execute(
        "INSERT INTO message_queue (queue, payload, priority, headers)"
        ' VALUES (%s, \'{"n": 2}\', 5, \'{"a": "b"}\')',
        attached.name,
    )
    assert relay.run_once()["forwarded"] == 2
    sent = rows(f"SELECT message::text, headers::text FROM pgmq.q_{attached.remote_name} ORDER BY msg_id")
    assert sent == [('{"n": 2}', '{"a": "b"}'), ('{"n": 1}', None)]
    assert not ForwardedMessage.objects.exists()


def test_a_message_for_later_waits_and_a_paused_queue_gets_nothing(attached):
    execute(
        "INSERT INTO message_queue (queue, payload, next_retry_at)"
        " VALUES (%s, '{}', now() + interval '1 hour')",
        attached.name,
    )
    assert relay.run_once()["forwarded"] == 0
    execute("UPDATE message_queue SET next_retry_at = now() - interval '1 second'")
    execute("UPDATE attached_queues SET paused = true")
    assert relay.run_once()["forwarded"] == 0
    execute("UPDATE attached_queues SET paused = false")
    assert relay.run_once()["forwarded"] == 1


def test_messages_of_a_group_are_forwarded_in_their_order(attached):
    for number in range(3):
        execute(
            "INSERT INTO message_queue (queue, payload, group_key, next_retry_at)"
            " VALUES (%s, jsonb_build_object('n', %s), 'one', now() + make_interval(secs => %s))",
            attached.name,
            number,
            0 if number else 60,
        )
    assert relay.run_once()["forwarded"] == 0
    execute("UPDATE message_queue SET next_retry_at = now()")
    assert relay.run_once()["forwarded"] == 3
    sent = rows(f"SELECT (message ->> 'n')::int FROM pgmq.q_{attached.remote_name} ORDER BY msg_id")
    assert sent == [(0,), (1,), (2,)]


def test_what_is_no_json_comes_back_with_its_reason_and_stops_nobody(attached, letter):
    number = letter(payload_raw=b"\xff\x00 not JSON", queue=attached.name)
    execute("SELECT dead_letter_revive(%s)", number)
    execute("INSERT INTO message_queue (queue, payload_raw) VALUES (%s, '\\xff')", attached.name)
    execute("INSERT INTO message_queue (queue, payload) VALUES (%s, '{}')", attached.name)
    assert relay.run_once()["forwarded"] == 1
    reason = f"NotForwarded: {attached.name} did not take it: it is not JSON, and PGMQ holds JSON only"
    returned, new = DeadLetter.objects.order_by("id")
    assert (returned.pk, returned.status, returned.error_reason) == (number, "PENDING", reason)
    assert (new.status, new.error_reason, bytes(new.payload_raw)) == ("PENDING", reason, b"\xff")
    assert not Message.objects.exists()


def test_one_queue_that_fails_does_not_stop_the_others(attached, revived, caplog):
    execute("SELECT pgmq.create('a_lost_one')")
    attachments.attach("pgmq:a_lost_one", actor="test")
    execute("SELECT pgmq.drop_queue('a_lost_one')")
    number = revived()
    counts = relay.run_once()
    assert (counts["failed"], counts["forwarded"]) == (1, 1)
    assert "the queue pgmq:a_lost_one is not served: PGMQ has no queue 'a_lost_one'" in caplog.text
    assert status(number) == "REVIVED"


def test_the_backlog_of_other_queues_is_not_walked_through(attached):
    execute("INSERT INTO message_queue (queue, payload) SELECT 'other', '{}' FROM generate_series(1, 20000)")
    execute("ANALYZE message_queue")
    for query in ("relay.due", "relay.unsendable"):
        text = sql(query).replace("%(name)s", "'pgmq:orders'").replace("%(limit)s", "500")
        plan = "\n".join(row[0] for row in rows(f"EXPLAIN {text}"))
        assert "message_queue_live" in plan
        assert "Seq Scan on message_queue" not in plan.replace("message_queue_unlogged", "")


def test_four_relays_at_once_send_each_message_once(attached):
    revive_many(attached, 1200)
    at_once([relay.run_once] * 4)
    assert len(on_queue(attached)) == 1200
    origins = f"SELECT count(DISTINCT headers ->> 'x-dlq-event-id') FROM pgmq.q_{attached.remote_name}"
    assert value(origins) == 1200
    every = f"SELECT pgmq.delete(%s, array_agg(msg_id)) FROM pgmq.q_{attached.remote_name}"
    execute(every, attached.remote_name)
    at_once([relay.run_once] * 4)
    assert DeadLetter.objects.filter(status="SUCCEEDED").count() == 1200
    assert Attempt.objects.count() == 1200


@pytest.mark.faults
@pytest.mark.faults
def test_relays_that_are_killed_in_their_work_lose_and_double_nothing(attached):
    revive_many(attached, 3_000)
    moved = f"SELECT count(*) FROM pgmq.q_{attached.remote_name}"
    killed = 0
    while Message.objects.exists():
        before = value(moved)
        with Processes() as processes:
            processes.begin("manage.py", "relay")
            as_soon_as(lambda before=before: value(moved) > before)
            time.sleep(random.uniform(0, 0.02))
        killed += Message.objects.exists()
    assert killed > 0
    origins = f"SELECT count(DISTINCT headers ->> 'x-dlq-event-id') FROM pgmq.q_{attached.remote_name}"
    assert value(moved) == value(origins) == ForwardedMessage.objects.count() == 3_000


@pytest.mark.faults
def test_relays_whose_sessions_are_ended_lose_and_double_nothing(attached, read_out):
    revive_many(attached, 2_000)
    relay.run_once()
    read_out(6)
    over = threading.Event()

    def relay_on():
        while not over.is_set():
            try:
                relay.run_once(seconds=0)
            except OperationalError:
                connection.close()

    def end_sessions():
        for _ in range(15):
            time.sleep(0.03)
            execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND random() < 0.5"
            )
        eventually(lambda: on_queue(attached) == [])
        over.set()

    connection.close()
    at_once([end_sessions, relay_on, relay_on, relay_on])
    assert len(archived(attached)) == 2_000
    found = DeadLetter.objects.values_list("status", "occurrences").annotate(Count("id"))
    assert list(found) == [("PENDING", 2, 2_000)]
    assert not ForwardedMessage.objects.exists()


def test_the_command_serves_once_or_until_stopped(attached, revived, capsys):
    revived()
    call_command("relay", "--once")
    assert capsys.readouterr().out == "1 forwarded, 0 dead-lettered, 0 left their queues\n"
    with Processes() as processes:
        process = processes.begin("manage.py", "relay")
        number = revived()
        eventually(lambda: len(on_queue(attached)) == 2)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=10)
    assert output == "1 forwarded, 0 dead-lettered, 0 left their queues\n"
    assert status(number) == "REVIVED"


def test_once_says_which_queues_were_not_served(attached):
    execute("SELECT pgmq.drop_queue(%s)", attached.remote_name)
    with pytest.raises(CommandError, match="1 queues were not served"):
        call_command("relay", "--once")


def test_the_beat_knows_the_relay(attached, revived):
    [entry] = [entry for entry in app.conf.beat_schedule.values() if entry["task"] == "transports.relay"]
    assert entry["options"]["expires"] <= 5
    app.loader.import_default_modules()
    revived()
    app.tasks["transports.relay"].apply(throw=True)
    assert len(on_queue(attached)) == 1


def revive_many(queue, number):
    """So many dead letters of the queue, revived."""
    execute(
        "INSERT INTO dlq_events (event_type, payload, queue, error_reason)"
        " SELECT 'order.created', jsonb_build_object('n', n), %s, 'Refused: no'"
        " FROM generate_series(1, %s) n",
        queue.name,
        number,
    )
    execute("SELECT dead_letter_revive(id) FROM dlq_events")


def test_what_was_on_its_way_through_a_dropped_queue_returns_by_itself(attached, revived):
    number = revived(status="QUARANTINED")
    relay.run_once()
    execute("SELECT pgmq.drop_queue(%s)", attached.remote_name)
    # it may be back in a moment
    assert relay.run_once()["lost"] == 0
    assert status(number) == "REVIVED"
    execute("UPDATE attached_queues SET seen_at = now() - interval '2 minutes' RETURNING 1")
    assert relay.run_once()["lost"] == 1
    assert status(number) == "QUARANTINED"
    assert "PGMQ has no queue" in Attempt.objects.get().error_reason
    assert not ForwardedMessage.objects.exists()


def test_a_queue_that_is_made_again_holds_another_message_under_the_same_number(attached, revived):
    number = revived()
    relay.run_once()
    execute("SELECT pgmq.drop_queue(%s), pgmq.create(%s)", attached.remote_name, attached.remote_name)
    execute("SELECT pgmq.send(%s, '{}')", attached.remote_name)
    assert [each.remote_id for each in ForwardedMessage.objects.all()] == [str(on_queue(attached)[0])]
    assert relay.run_once()["left"] == 1
    assert status(number) == "PENDING"
    assert "was dropped, and made again" in Attempt.objects.get().error_reason


def test_what_cannot_be_forwarded_does_not_keep_others_from_being_settled(attached, revived, monkeypatch):
    number = revived()
    relay.run_once()
    execute("SELECT pgmq.delete(%s, %s::bigint)", attached.remote_name, on_queue(attached)[0])

    def refuse(queue, limit):
        raise InvalidMessage("no")

    monkeypatch.setattr(steps, "forward", refuse)
    assert relay.run_once()["failed"] == 1
    assert status(number) == "SUCCEEDED"
