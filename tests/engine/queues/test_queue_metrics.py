"""What stands on each queue, how it goes, and what that says to a person."""

import json
import re

import pytest
from django.db import connection

from dlqconsole.core import messages
from dlqconsole.engine.database import health as database_health
from dlqconsole.engine.database.sessions import own_connection
from dlqconsole.engine.models import DeadLetter, Message, Queue
from dlqconsole.engine.queues import changes as queues
from dlqconsole.engine.queues import known
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import warnings as queue_warnings
from dlqconsole.engine.sql import sql
from tests.plain_sql import execute

WHO = {"actor": "user:ann", "reason": "because"}
ROWS = 200_000


def by_name():
    return {row["name"]: row for row in known.metrics()}


def activity(queue, minutes_ago, **counts):
    columns = ", ".join(counts)
    places = ", ".join(["%s"] * len(counts))
    execute(
        f"INSERT INTO queue_activity (queue, minute, {columns})"
        f" VALUES (%s, date_trunc('minute', now()) - make_interval(mins => %s), {places})",
        queue, minutes_ago, *counts.values(),
    )  # fmt: skip


@pytest.mark.django_db
def test_a_queue_is_listed_for_its_messages_its_dead_letters_its_policy_or_its_activity(send):
    Queue.objects.create(name="quiet", paused=True)
    for number in range(3):
        send(order_id=number)
    messages.claim("order.created", 1, "me", 60)
    messages.send("later", b"{}", delay=60.0)
    activity("busy", 2, completed=1)
    activity("long.ago", 90, completed=1)
    DeadLetter.objects.create(event_type="order.billed", source="s", source_key="1")
    DeadLetter.objects.create(event_type="x", queue="order.created", source="s", source_key="2")
    DeadLetter.objects.create(event_type="x", queue="gone", source="s", source_key="3", status="SUCCEEDED")
    found = by_name()
    assert set(found) == {"quiet", "order.created", "order.billed", "later", "busy"}
    assert (found["quiet"]["paused"], found["quiet"]["exists"], found["later"]["exists"]) == (
        True,
        True,
        False,
    )
    order = found["order.created"]
    assert (order["visible"], order["in_flight"], order["length"], order["dead_letters"]) == (2, 1, 3, 1)
    assert order["oldest_due_seconds"] >= 0
    assert not order["capped"]
    assert found["order.billed"]["dead_letters"] == 1
    assert (found["later"]["scheduled"], found["later"]["oldest_due_seconds"]) == (1, None)
    json.dumps(list(found.values()))


@pytest.mark.django_db
def test_ages_are_by_due_time_and_a_dead_consumers_message_is_due_again(send):
    execute(
        "INSERT INTO message_queue (queue, payload, created_at, next_retry_at) VALUES"
        " ('orders', '{}', now() - interval '2 hours', now() - interval '10 minutes'),"
        " ('orders', '{}', now() - interval '5 minutes', now() - interval '2 hours')"
    )
    row = by_name()["orders"]
    assert 595 < row["oldest_due_seconds"] < 660
    assert 295 < row["newest_age_seconds"] < 360
    messages.claim("orders", 2, "me", 60)
    assert by_name()["orders"]["oldest_due_seconds"] is None
    Message.objects.update(lease_until="2026-01-01T00:00:00Z")
    assert by_name()["orders"]["oldest_due_seconds"] > 0


@pytest.mark.django_db
def test_what_starves_behind_urgent_messages_decides_the_age(monkeypatch):
    monkeypatch.setattr(queue_metrics, "FIRST", 5)
    execute(
        "INSERT INTO message_queue (queue, payload, priority)"
        " SELECT 'orders', '{}', 9 FROM generate_series(1, 50)"
    )
    execute(
        "INSERT INTO message_queue (queue, payload, created_at, next_retry_at)"
        " VALUES ('orders', '{}', now() - interval '1 day', now() - interval '1 day')"
    )
    assert by_name()["orders"]["oldest_due_seconds"] > 86_000


@pytest.mark.django_db
def test_messages_behind_their_group_are_waiting_not_visible():
    for _ in range(3):
        messages.send("orders", b"{}", group_key="g")
    row = by_name()["orders"]
    assert (row["visible"], row["waiting"], row["length"]) == (1, 2, 3)


@pytest.mark.django_db
def test_messages_held_back_are_counted_as_held_and_not_as_scheduled(monkeypatch):
    for _ in range(12):
        Message.objects.create(queue="orders", payload={}, status="held")
    row = by_name()["orders"]
    assert (row["held"], row["visible"], row["scheduled"], row["length"]) == (12, 0, 0, 12)
    assert (row["oldest_due_seconds"], row["capped"]) == (None, False)
    for name, value in {"FIRST": 5, "MOST": 10, "ALTOGETHER": 10}.items():
        monkeypatch.setattr(queue_metrics, name, value)
    assert (by_name()["orders"]["held"], by_name()["orders"]["at_least"]) == (10, ["held"])


@pytest.mark.django_db
def test_a_long_queue_is_counted_up_to_a_cap_and_says_so(monkeypatch):
    for name, value in {"FIRST": 10, "MOST": 40, "ALTOGETHER": 60}.items():
        monkeypatch.setattr(queue_metrics, name, value)
    execute(
        "INSERT INTO message_queue (queue, payload) SELECT 'q' || i % 3, '{}' FROM generate_series(1, 99) i"
    )
    execute("INSERT INTO message_queue (queue, payload) SELECT 'short', '{}' FROM generate_series(1, 9) i")
    found = by_name()
    assert [(found[name]["visible"], found[name]["at_least"]) for name in ("q0", "q1", "q2", "short")] == [
        *[(20, ["visible"])] * 3,
        (9, []),
    ]


@pytest.mark.django_db
def test_the_pace_is_that_of_the_last_five_full_minutes():
    activity("orders", 0, completed=1000)
    activity("orders", 1, completed=10, retried=5)
    activity("orders", 5, completed=10, dead_lettered=5)
    activity("orders", 6, completed=1000)
    row = by_name()["orders"]
    pace = [row[f"{what}_per_minute"] for what in ("completed", "retried", "dead_lettered")]
    assert pace == [4, 1, 1]
    assert row["failure_share"] == pytest.approx(1 / 3)
    last_hour = queue_metrics.minutes("orders")
    assert len(last_hour) == 60
    assert [minute["completed"] for minute in last_hour[-7:]] == [1000, 10, 0, 0, 0, 10, 1000]


@pytest.mark.django_db
def test_an_unlogged_queue_is_counted_like_any_other():
    queues.create("fast", **WHO, unlogged=True)
    messages.send("fast", b"{}")
    row = queue_metrics.metrics_of("fast")
    assert (row["visible"], row["policy"]["unlogged"]) == (1, True)


@pytest.mark.django_db
def test_a_name_that_plain_sql_made_is_listed_as_it_is():
    names = ["", "a b", "é/ü?&#", "x" * 255, "<b>", "%s", "'; --"]
    for name in names[1:]:
        execute("INSERT INTO message_queue (queue, payload) VALUES (%s, '{}')", name)
    assert set(by_name()) == set(names[1:])
    assert queue_metrics.metrics_of("nope")["length"] == 0


QUIET = {
    "policy": {},
    "name": "orders", "paused": False, "consumers_waiting": 0, "in_flight": 0, "oldest_due_seconds": None,
    "completed_per_minute": 0.0, "retried_per_minute": 0.0, "dead_lettered_per_minute": 0.0, "arrived": 0,
    "failure_share": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({}, ""),
        ({"oldest_due_seconds": 61}, "Nobody consumes it. Start a consumer: manage.py consume orders"),
        ({"oldest_due_seconds": 59}, ""),
        ({"oldest_due_seconds": 61, "consumers_waiting": 1}, ""),
        ({"oldest_due_seconds": 61, "in_flight": 1}, ""),
        ({"oldest_due_seconds": 1200, "in_flight": 1}, "due for 20 min"),
        ({"oldest_due_seconds": 1200, "paused": True}, ""),
        ({"arrived": 500, "completed_per_minute": 50.0}, "500 messages of the last five minutes"),
        ({"arrived": 500, "completed_per_minute": 100.0}, ""),
        ({"retried_per_minute": 3.0, "failure_share": 0.6}, "60% of its attempts fail"),
        ({"retried_per_minute": 1.0, "failure_share": 1.0}, ""),
    ],
)
def test_figures_say_what_wants_looking_at(figures, said):
    assert said in " ".join(queue_warnings.warnings(QUIET | figures))
    assert bool(said) is bool(queue_warnings.warnings(QUIET | figures))


@pytest.mark.django_db(transaction=True)
def test_a_transaction_left_open_is_named_with_what_to_do(monkeypatch):
    # what other tests left in the tables is not the question
    monkeypatch.setattr(database_health, "DEAD_ROWS", 10**9)
    with own_connection() as other:
        other.execute("SET application_name = 'nightly report'")
        with other.transaction():
            other.execute("LOCK TABLE message_queue")
            found = database_health.health()
            assert found["warnings"] == []
            assert found["oldest_transaction_application"] == "nightly report"
            assert found["oldest_transaction_seconds"] >= 0
            monkeypatch.setattr(database_health, "LONG_TRANSACTION_SECONDS", 0)
            [sentence] = database_health.health()["warnings"]
            assert "nightly report" in sentence
            assert f"pg_terminate_backend({other.info.backend_pid})" in sentence
    assert {table["name"] for table in found["tables"]} == {
        "message_queue",
        "message_queue_unlogged",
        "dlq_events",
    }
    assert 0 < found["connections"] <= found["max_connections"]


@pytest.mark.django_db(transaction=True)
def test_who_waits_for_a_lock_on_our_rows_is_counted(send):
    one = send("orders", order_id=1)
    with own_connection() as holder, own_connection() as waiter:
        with holder.transaction():
            holder.execute("UPDATE message_queue SET priority = 1 WHERE id = %s", [one])
            waiter.pgconn.send_query(f"UPDATE message_queue SET priority = 2 WHERE id = {one}".encode())
            for _ in range(200):
                if database_health.health()["lock_waits"]:
                    break
            assert database_health.health()["lock_waits"] == 1
            assert database_health.health()["longest_lock_wait_seconds"] > 0
        while waiter.pgconn.get_result():
            pass
    assert database_health.health()["lock_waits"] == 0


@pytest.mark.django_db
def test_a_look_at_a_large_table_never_reads_it_all():
    """200,000 messages on 4 queues: no sequential scan, and no step that meets more than the caps."""
    execute("ALTER TABLE message_queue DISABLE TRIGGER message_queue_added")
    execute(
        "INSERT INTO message_queue (queue, payload, status, next_retry_at)"
        " SELECT 'q' || i %% 4, '{}', CASE WHEN i %% 10 = 0 THEN 'scheduled' ELSE 'pending' END, now()"
        " FROM generate_series(1, %s) i",
        ROWS,
    )
    execute("ALTER TABLE message_queue ENABLE TRIGGER message_queue_added")
    execute("ANALYZE message_queue")
    values = {"first": "", "most": 1001, "walk": 1001, "others": [], "without": []}
    values |= {"look": 2000, "cap": 10_000, "names": ["q0", "q1", "q2", "q3"]}
    values |= {"turns": [-65_535] * 4, "ids": [0] * 4}
    read = {}
    for name in ("names", "scheduled", "standing"):
        with queue_metrics.in_the_order_of_an_index(), connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF) {sql('queue_metrics.' + name)}", values)
            plan = "\n".join(row[0] for row in cursor.fetchall())
        # of the child, which is empty here, a page is a page
        assert not re.search(r"Seq Scan on message_queue\s", plan)
        assert "message_queue_" in plan
        read[name] = max(float(found) for found in re.findall(r"message_queue.*actual rows=([\d.]+)", plan))
    assert read["names"] <= 4
    assert read["scheduled"] <= 2000
    assert read["standing"] <= 10_000
