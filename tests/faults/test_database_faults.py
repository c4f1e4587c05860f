"""The database fails in every way it knows; consumers wait, go on, and lose and double nothing."""

import time

import pytest

pytestmark = pytest.mark.slow


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
    assert world.terminate_backends("query LIKE '%last_error%' OR query LIKE '%message_queue%'")
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
    world.until(lambda: "the database does not answer" in world.said(consumer), 20, consumer)
    world.server.start()
    world.reconnect()
    world.drain(process=consumer)
