"""Who has looked in vain hears of the next message at once, by a notice that any session may listen to."""

import statistics

import psycopg
import pytest

ROUNDS = 40
# the order of magnitude is asked for: a poll would take seconds
SOON = 0.05
WAITED = "SELECT extract(epoch FROM h.at - %s)::float8 FROM handled h WHERE n = %s"


def notices(link, seconds=1.0):
    """What one waits for, and gets: the queues that were named."""
    return [each.payload for each in link.notifies(timeout=seconds, stop_after=1)]


@pytest.fixture
def listener(world):
    """A session that may do nothing but listen."""
    link = world.roles.connect("nobody")
    link.execute("LISTEN message_queue")
    yield link
    link.execute("UNLISTEN *")
    notices(link, 0)


def test_a_claim_in_vain_is_answered_within_milliseconds(world, listener):
    took = []
    for number in range(ROUNDS):
        assert world.consumer.execute("SELECT id FROM queue_claim('orders')").fetchall() == []
        world.send({"n": number})
        sent = world.value("SELECT clock_timestamp()")
        assert notices(listener, 10) == ["orders"]
        took.append((world.value("SELECT clock_timestamp()") - sent).total_seconds())
        taken = world.consumer.execute("SELECT (queue_pop('orders')).id").fetchall()
        assert len(taken) == 1
    assert statistics.median(took) < SOON


def test_where_nobody_waits_nothing_is_said(world, listener):
    world.send({"n": 1})
    assert notices(listener, 0.2) == []


def test_who_has_work_is_not_woken(world, listener):
    """He was woken once; what comes until he looks in vain again wakes nobody."""
    world.consumer.execute("SELECT id FROM queue_claim('orders')")
    world.send({"n": 1})
    assert notices(listener) == ["orders"]
    assert len(world.consumer.execute("SELECT id FROM queue_claim('orders')").fetchall()) == 1
    world.send({"n": 2})
    assert notices(listener, 0.2) == []


def test_a_queue_may_tell_of_every_statement(world, listener):
    world.policy(notify="statement")
    world.send({"n": 1})
    assert notices(listener) == ["orders"]


def test_what_is_sent_before_a_claim_in_vain_is_committed_is_heard_of(world, listener):
    """The sender cannot see yet that somebody waits, but that somebody may."""
    with psycopg.connect(world.address()) as waiting:
        assert waiting.execute("SELECT id FROM queue_claim('orders')").fetchall() == []
        world.send({"n": 1})
        assert notices(listener) == ["orders"]


@pytest.mark.parametrize("language", ["node", "go"])
def test_an_idle_worker_begins_at_once(world, start, language):
    """It would look again after two seconds by itself."""
    start()
    took = []
    for number in range(9):
        world.until(world.is_asleep)
        sent = world.value("SELECT clock_timestamp()")
        world.send({"n": number})
        world.until(world.is_empty)
        took.append(world.value(WAITED, sent, number))
    assert statistics.median(took) < 10 * SOON
