"""The database fails in every way it knows; consumers wait, go on, and lose and double nothing."""

import time
from contextlib import suppress

import psycopg
import pytest

from tests.faults.proxy import Proxy

pytestmark = pytest.mark.faults


def test_a_crashed_database_is_waited_for(world):
    consumer = world.consume()
    world.send(200, after=0.002)
    world.until(lambda: world.count("SELECT count(*) FROM effects") >= 50)
    world.server.crash()
    time.sleep(3)  # away for longer than a consumer naps
    world.server.start()
    world.reconnect()
    world.drain(process=consumer)
    assert world.count("SELECT count(*) FROM effects") == 200
    assert world.count("SELECT count(*) FROM enriched_events") == 200


def test_an_idle_consumer_survives_a_database_that_is_away(world):
    consumer = world.consume()
    world.send(1)
    world.drain(process=consumer)
    time.sleep(1)
    world.server.crash()
    time.sleep(3)
    world.server.start()
    world.reconnect()
    world.send(1)
    world.drain(process=consumer)


def test_a_session_that_ends_in_the_middle_of_a_batch_leaves_nothing_held(world):
    consumer = world.consume("--batch", "20")
    world.send(20, do="stumble", after=0.05)
    world.until(lambda: world.count("SELECT count(*) FROM calls") >= 5)
    names = ("message_fail", "queue_take", "breaker_noted")
    world.until(lambda: world.terminate_backends(" OR ".join(f"query LIKE '%{name}%'" for name in names)))
    world.drain(20, consumer)


def test_each_queues_lease_is_kept_by_its_own_length(world):
    world.sql.execute("INSERT INTO queues (name, lease_seconds) VALUES ('long', 60)")
    consumer = world.consume("long", "--batch", "1")
    world.sql.execute(
        "INSERT INTO message_queue (queue, payload, headers)"
        """ VALUES ('long', '{"key": "a", "before": 0.5}', '{"ce_type": "chaos"}')"""
    )
    world.drain(process=consumer)
    world.send(1, before=4)
    late = 0
    while world.waiting():
        late += world.count("SELECT count(*) FROM message_queue WHERE lease_until < clock_timestamp()")
        time.sleep(0.05)
    assert late == 0
    assert consumer.poll() is None


def test_a_consumer_may_start_before_its_database(world):
    world.send(1)
    world.server.crash()
    consumer = world.consume()
    world.until(lambda: "the database of DATABASE_URL does not answer" in world.said(consumer), 20, consumer)
    world.server.start()
    world.reconnect()
    world.drain(process=consumer)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_connection_cut_in_the_commit_neither_loses_nor_doubles(world, when):
    proxy = Proxy(world.server.postgres.port)
    consumer = world.consume("--batch", "5", port=proxy.port)
    world.send(120, after=0.01)
    # a claim whose answer was lost counts as a consumer's death; the third would quarantine its message
    for expected in range(1, 3):
        world.until(lambda: world.count("SELECT count(*) FROM enriched_events"), process=consumer)
        proxy.cut("message_remove", when)
        world.until(lambda n=expected: proxy.cuts == n, process=consumer)
    world.drain(process=consumer)
    proxy.close()
    assert world.count("SELECT count(*) FROM effects") == 120
    assert world.count("SELECT count(*) FROM enriched_events") == 120
    assert world.count("SELECT count(*) FROM dlq_events") == 0


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_dead_letter_whose_commit_was_cut_is_one(world, when):
    proxy = Proxy(world.server.postgres.port)
    consumer = world.consume("--batch", "5", port=proxy.port)
    proxy.cut("message_fail", when)
    world.send(10, do="refuse")
    world.drain(process=consumer)
    proxy.close()
    assert proxy.cuts == 1
    assert world.sql.execute("SELECT count(*), max(occurrences) FROM dlq_events").fetchone() == (10, 1)
    assert world.count("SELECT count(*) FROM calls") == 10


def held_by_who_waits(world, ids: list[int]) -> list[int]:
    """Which of these messages somebody has locked who waits for us."""
    waits = "SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))"
    if not world.count(waits):
        return []
    free = "SELECT id FROM message_queue WHERE id = ANY (%s) FOR UPDATE SKIP LOCKED"
    with world.sql.transaction(force_rollback=True):
        return sorted({*ids} - {number for (number,) in world.sql.execute(free, [ids])})


def test_a_deadlock_costs_a_repetition_and_nothing_else(world):
    world.sql.execute("SET deadlock_timeout = '30s'")  # so it is the consumer who has to give way
    world.set_policy(max_retries=3, lease_seconds=60)  # no lease is lengthened meanwhile
    # while the first one takes its time, all are held and none is recorded
    ids = world.send(1, before=2) + world.send(9)
    consumer = world.consume("--batch", "10")
    held = "SELECT count(*) FROM message_queue WHERE status = 'processing'"
    world.until(lambda: world.count(held) == 10, process=consumer)
    with world.sql.transaction():
        world.sql.execute("SELECT 1 FROM message_queue WHERE id = %s FOR UPDATE", [ids[5]])
        world.until(lambda: held_by_who_waits(world, ids))
        [held, *_others] = held_by_who_waits(world, ids)
        world.sql.execute("SELECT 1 FROM message_queue WHERE id = %s FOR UPDATE", [held])
    world.drain(process=consumer)
    assert world.count("SELECT count(*) FROM calls") == 10
    assert world.count("SELECT count(*) FROM enriched_events") == 10
    deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    world.until(lambda: world.count(deadlocks))  # a session that waits tells its figures after 10 s


def test_connections_that_were_closed_while_idle_are_opened_anew(world):
    consumer = world.consume()
    for _ in range(3):
        world.send(1)
        world.drain(process=consumer)
        time.sleep(0.3)
        assert world.terminate_backends() >= 2
    world.send(1)
    world.drain(5, consumer)


def test_a_server_without_a_free_connection_is_waited_for(world):
    consumer = world.consume()
    world.send(1)
    world.drain(process=consumer)
    taken: list[psycopg.Connection] = []
    for _ in range(5):
        world.terminate_backends("application_name LIKE 'dlqconsole%'")
        with suppress(psycopg.OperationalError):  # sorry, too many clients already
            while True:
                taken.append(psycopg.connect(world.server.url(world.database), application_name="greedy"))
    world.send(20)
    world.until(lambda: "too many clients" in world.said(consumer), process=consumer)
    assert world.waiting() == 20
    for session in taken:
        session.close()
    world.drain(10, consumer)


def test_a_breaker_that_cannot_be_written_does_not_repeat_the_handler(world):
    world.set_policy(max_retries=0, lease_seconds=60)
    proxy = Proxy(world.server.postgres.port)
    proxy.cut("SELECT breaker_noted", "before")
    consumer = world.consume(port=proxy.port, DLQ_BREAKER_FAILURES="5")
    world.send(10, do="say", word="nul")
    world.until(lambda: world.count("SELECT count(*) FROM breakers WHERE state = 'open'"), process=consumer)
    proxy.close()
    assert proxy.cuts == 1
    assert world.count("SELECT max(n) FROM (SELECT count(*) AS n FROM calls GROUP BY message) c") == 1
