"""The MySQL lease queue, against the defects of the design it grew from (S1-1 … S1-12), one test each."""

import threading
import time
from contextlib import closing

import pytest

from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.mysql.source import MysqlSource
from dlqconsole.transports.sql import sql
from tests.threads import at_once

FAILED = Failed("Refused: billing said no", "TRANSIENT", "Refused", "Traceback …")


def ids(deliveries):
    return [delivery.id for delivery in deliveries]


@pytest.fixture
def in_thread():
    """in_thread(work, …) runs work beside this thread, with a connection of its own; its result."""

    def run(work, *arguments):
        results = []
        thread = threading.Thread(target=lambda: results.append(work(*arguments)))
        thread.start()
        thread.join(20)
        assert results, "it waits for somebody"
        return results[0]

    return run


def test_s1_1_messages_are_claimed_in_the_order_of_their_ids_whatever_the_plan(mariadb, mysql_transport):
    sent = [mariadb.put() for _ in range(60)]
    mariadb.ask("UPDATE dlq_message_queue SET dequeued_time = UTC_TIMESTAMP(6) - INTERVAL id HOUR")
    claimed = [ids(mysql_transport.claim("orders", 20, "me", 60)) for _ in range(3)]
    assert claimed == [sent[:20], sent[20:40], sent[40:]]


def test_s1_1_what_a_dead_consumer_held_comes_before_what_is_younger(mariadb, mysql_transport):
    first, second = mariadb.put(), mariadb.put()
    mysql_transport.claim("orders", 1, "dead", 0.05)
    time.sleep(0.1)
    assert ids(mysql_transport.claim("orders", 10, "me", 60)) == [first, second]


def test_s1_2_a_consumer_in_the_middle_of_its_claim_keeps_nobody_waiting(mariadb, mysql_transport, in_thread):
    sent = [mariadb.put() for _ in range(30)]
    with mysql_transport.connections.transaction() as cursor:
        cursor.execute(sql("mysql.pick"), {"queue": "orders", "limit": 10})
        started = time.monotonic()
        assert ids(in_thread(mysql_transport.claim, "orders", 10, "other", 60)) == sent[10:20]
        assert int(in_thread(mysql_transport.send, "orders", "{}")) > int(sent[-1])
        assert time.monotonic() - started < 2


def test_s1_2_no_claim_reads_more_than_it_takes(mariadb, mysql_transport):
    sequence = "FROM seq_1_to_20000"
    later = "UTC_TIMESTAMP(6) + INTERVAL 1 DAY"
    insert = "INSERT INTO dlq_message_queue (queue, message, available_at) SELECT 'orders', '{}', "
    mariadb.ask(f"{insert} {later} {sequence}")
    mariadb.ask(f"{insert} NULL {sequence}")
    with mysql_transport.connections.transaction() as cursor:
        cursor.execute("FLUSH STATUS")
        assert len(claim_steps(cursor)) == 10
        cursor.execute("SHOW SESSION STATUS LIKE 'Handler_read%%'")
        read = sum(int(row["Value"]) for row in cursor.fetchall())
    assert read < 100


def claim_steps(cursor):
    values = {"queue": "orders", "limit": 10}
    cursor.execute(sql("mysql.due"), values)
    assert not cursor.fetchall()
    cursor.execute(sql("mysql.pick"), values)
    return cursor.fetchall()


def test_s1_3_a_claim_returns_only_what_it_claimed_not_all_that_its_owner_ever_held(mariadb, mysql_transport):
    first, second = mariadb.put(), mariadb.put()
    assert ids(mysql_transport.claim("orders", 1, "me", 60)) == [first]
    assert ids(mysql_transport.claim("orders", 5, "me", 60)) == [second]


def test_s1_4_a_late_delete_removes_nothing_of_what_its_successor_holds(mariadb, mysql_transport):
    mariadb.put()
    late = mysql_transport.claim("orders", 1, "me", 0.05)
    time.sleep(0.1)
    successor = mysql_transport.claim("orders", 1, "me", 60)
    assert ids(successor) == ids(late)
    assert mysql_transport.complete(late) == set()
    assert mysql_transport.extend(late, 60) == set()
    assert mysql_transport.release(late) == set()
    assert mysql_transport.complete(successor) == set(ids(late))


def test_s1_4_one_call_may_settle_what_several_claims_brought(mariadb, mysql_transport):
    for _ in range(4):
        mariadb.put()
    mixed = mysql_transport.claim("orders", 2, "me", 60) + mysql_transport.claim("orders", 2, "you", 60)
    assert mysql_transport.complete(mixed) == set(ids(mixed))
    assert mysql_transport.complete(mixed) == set()


def test_s1_5_each_claim_has_a_token_that_no_restart_repeats(mariadb, mysql_transport):
    tokens = set()
    for _ in range(5):
        mariadb.put()
        tokens |= {delivery.receipt for delivery in mysql_transport.claim("orders", 1, "worker-1", 60)}
    assert len(tokens) == 5
    assert all(len(token) == 32 for token in tokens)


def test_s1_6_a_lease_is_each_messages_own_and_can_be_lengthened(mariadb, mysql_transport):
    for _ in range(2):
        mariadb.put()
    slow, dropped = mysql_transport.claim("orders", 2, "me", 0.3)
    assert mysql_transport.extend([slow], 60) == {slow.id}
    time.sleep(0.4)
    assert ids(mysql_transport.claim("orders", 10, "other", 60)) == [dropped.id]
    assert mysql_transport.complete([slow, dropped]) == {slow.id}


@pytest.fixture
def claim_in(mariadb, mysql_transport):
    """claim_in("+08:00") claims a message in a session of that time zone."""

    def claim(zone):
        mariadb.ask("SET GLOBAL time_zone = %s", (zone,))
        mysql_transport.close()  # the next session starts in that zone
        return ids(mysql_transport.claim("orders", 1, zone, 60))

    yield claim
    mariadb.ask("SET GLOBAL time_zone = 'SYSTEM'")


@pytest.mark.parametrize("holder", ["+08:00", "-11:00"])
def test_s1_7_consumers_in_all_time_zones_agree_who_holds_what(holder, mariadb, claim_in):
    message = mariadb.put()
    assert claim_in(holder) == [message]
    for zone in ("+08:00", "+00:00", "-11:00"):
        assert claim_in(zone) == []  # not stolen
    mariadb.let_time_pass()
    other = {"+08:00": "-11:00", "-11:00": "+08:00"}[holder]
    assert claim_in(other) == [message]  # and not lost for hours


def test_s1_7_what_producers_in_any_time_zone_insert_is_due_at_once(mariadb, mysql_transport):
    statement = "INSERT INTO dlq_message_queue (queue, message) VALUES ('orders', '{}')"
    for zone in ("+08:00", "-11:00"):
        mariadb.ask(statement, zone=zone)
    metrics = mysql_transport.metrics("orders")
    assert (metrics.visible, metrics.scheduled) == (2, 0)
    assert 0 <= metrics.oldest_due_seconds < 60


@pytest.mark.parametrize("size", [300, 70_000, 900_000])
def test_s1_8_a_message_is_kept_to_the_byte_whatever_its_length(size, mariadb, mysql_transport):
    payload = '{"text": "' + "ü€😀"[size % 3] * (size // 4) + '"}'
    mysql_transport.send("orders", payload)
    [delivery] = mysql_transport.claim("orders", 1, "me", 60)
    assert (delivery.payload, delivery.payload_raw) == (payload, None)


def test_s1_8_sessions_are_strict_even_on_a_server_that_is_not(mariadb, mysql_transport):
    mariadb.ask("SET GLOBAL sql_mode = ''")
    try:
        mysql_transport.close()
        with mysql_transport.connections.transaction() as cursor:
            cursor.execute("SHOW SESSION VARIABLES WHERE Variable_name IN ('sql_mode', 'tx_isolation')")
            session = {row["Variable_name"]: row["Value"] for row in cursor.fetchall()}
    finally:
        mariadb.ask("SET GLOBAL sql_mode = DEFAULT")
    assert "STRICT_ALL_TABLES" in session["sql_mode"]
    assert session["tx_isolation"] == "READ-COMMITTED"


def test_s1_9_order_is_best_effort_a_released_message_returns_to_its_place(mariadb, mysql_transport):
    first, _second, third = (mariadb.put() for _ in range(3))
    claimed = mysql_transport.claim("orders", 2, "me", 60)
    mysql_transport.release(claimed[:1])
    assert ids(mysql_transport.claim("orders", 3, "other", 60)) == [first, third]


def test_s1_10_attempts_are_counted_at_the_claim_so_that_a_crash_counts(mariadb, mysql_transport):
    mariadb.put()
    seen = []
    for _ in range(3):
        seen += [delivery.attempts for delivery in mysql_transport.claim("orders", 1, "dies", 0.02)]
        time.sleep(0.05)
    assert seen == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_s1_10_what_kills_its_consumers_can_be_picked_out_and_buried(mariadb, mysql_transport):
    poison, fine = mariadb.put(), mariadb.put()
    for _ in range(3):
        mysql_transport.claim("orders", 1, "dies", 0.02)
        time.sleep(0.05)
    [claimed] = mysql_transport.claim_exhausted("orders", 2, 10, "sweeper", 60)
    assert (claimed.id, claimed.attempts) == (poison, 4)
    identity = Identity("orders", "mysql:orders", str(poison))
    assert mysql_transport.dead_letter(claimed, identity, FAILED, DeadLetterStatus.QUARANTINED)
    assert ids(mysql_transport.claim("orders", 10, "me", 60)) == [fine]


def test_s1_11_a_lease_is_over_at_its_last_moment_not_a_tick_later(mariadb, mysql_transport):
    mariadb.put(available_at="2026-01-01 00:00:00")
    assert len(mysql_transport.claim("orders", 1, "me", 0)) == 1
    assert len(mysql_transport.claim("orders", 1, "me", 60)) == 1


def test_s1_12_a_repeated_send_under_one_key_makes_one_message_even_after_it_was_completed(
    mariadb, mysql_transport
):
    first = mysql_transport.send("orders", "{}", dedupe_key="revival-42-1")
    assert mysql_transport.send("orders", "{}", dedupe_key="revival-42-1") == first
    assert mysql_transport.complete(mysql_transport.claim("orders", 10, "me", 60)) == {first}
    assert mysql_transport.send("orders", "{}", dedupe_key="revival-42-1") == first
    assert mysql_transport.claim("orders", 10, "me", 60) == []
    assert mysql_transport.forget_keys(0) == 1
    assert mysql_transport.send("orders", "{}", dedupe_key="revival-42-1") > first


def test_s1_12_eight_senders_of_one_key_at_once_make_one_message(mariadb, mysql_transport):
    def send():
        with closing(MysqlSource(mariadb.url())) as transport:
            return transport.send("orders", "{}", dedupe_key="once")

    assert len(set(at_once([send] * 8))) == 1
    assert mariadb.ask("SELECT COUNT(*) FROM dlq_message_queue") == [(1,)]


def test_counts_are_of_one_queue_and_tell_visible_held_and_delayed_apart(mariadb, mysql_transport):
    for _ in range(4):
        mariadb.put()
    mariadb.put(queue="others")
    mysql_transport.send("orders", "{}", delay_seconds=60)
    mysql_transport.claim("orders", 1, "me", 60)
    mysql_transport.claim("orders", 1, "dead", 0)
    metrics = mysql_transport.metrics("orders")
    assert (metrics.visible, metrics.in_flight, metrics.scheduled) == (3, 1, 1)
    empty = mysql_transport.metrics("nobody-sent-here")
    assert (empty.visible, empty.in_flight, empty.scheduled, empty.oldest_due_seconds) == (0, 0, 0, None)
    assert mysql_transport.queue_names() == ["orders", "others"]


def test_the_oldest_due_age_counts_from_when_a_message_could_be_claimed(mariadb, mysql_transport):
    hours = "UTC_TIMESTAMP(6) - INTERVAL 5 HOUR"
    mariadb.ask(
        "INSERT INTO dlq_message_queue (queue, message, created_at, due_at, available_at)"
        f" VALUES ('orders', '{{}}', {hours}, {hours}, UTC_TIMESTAMP(6) - INTERVAL 30 SECOND)"
    )
    assert 30 <= mysql_transport.metrics("orders").oldest_due_seconds < 40
    mysql_transport.claim("orders", 1, "dead", 0)
    assert mysql_transport.metrics("orders").oldest_due_seconds < 5


def test_a_count_stops_at_its_cap(mariadb, mysql_transport):
    mariadb.ask("INSERT INTO dlq_message_queue (queue, message) SELECT 'orders', '{}' FROM seq_1_to_12000")
    assert mysql_transport.metrics("orders").visible == 10_000


def test_a_delayed_message_is_claimed_when_its_time_has_come(mariadb, mysql_transport):
    sent = mysql_transport.send("orders", "{}", delay_seconds=30)
    assert mysql_transport.claim("orders", 1, "me", 60) == []
    mariadb.let_time_pass()
    [claimed] = mysql_transport.claim("orders", 1, "me", 60)
    assert claimed.id == sent
    assert mysql_transport.release([claimed], delay_seconds=30) == {sent}
    assert mysql_transport.claim("orders", 1, "me", 60) == []
    assert mysql_transport.metrics("orders").scheduled == 1
    assert mysql_transport.still_there("orders", [sent, str(int(sent) + 1)]) == {sent}
