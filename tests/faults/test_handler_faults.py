"""Handlers that kill, hang and rave, and consumers that stand still: only the one message has to bear it."""

import signal
import time

import pytest

from tests.faults.handlers import WORDS

pytestmark = pytest.mark.faults


def completed(world):
    return world.count("SELECT count(*) FROM enriched_events")


def test_who_stood_still_past_its_lease_changes_nothing_any_more(world):
    sleeper = world.consume("--batch", "1")
    world.send(1, before=1.0)
    world.until(lambda: world.count("SELECT count(*) FROM message_queue WHERE status = 'processing'"))
    time.sleep(0.2)
    sleeper.send_signal(signal.SIGSTOP)
    other = world.consume("--batch", "1")
    world.drain(process=other)
    letters_and_records = completed(world)
    sleeper.send_signal(signal.SIGCONT)
    world.until(lambda: world.count("SELECT count(*) FROM calls") == 2)
    sleeper.send_signal(signal.SIGTERM)
    assert sleeper.wait(20) == 0
    assert world.said(sleeper).splitlines()[-1] == "1 lost its lease"
    assert (letters_and_records, completed(world)) == (1, 1)
    assert world.count("SELECT count(*) FROM effects") == 1


@pytest.mark.parametrize(
    ("isolation", "dying", "error"), [("none", [9, 9, 9], "ConsumerCrashed"), ("process", [], "HandlerDied")]
)
def test_what_kills_its_process_three_times_is_quarantined_and_the_others_are_done(
    world, isolation, dying, error
):
    world.set_policy(backoff_base_seconds=0.1)
    world.send(15)
    [killer] = world.send(1, do="crash")
    world.send(15)
    deaths = []
    while world.waiting():
        consumer = world.consume(DLQ_HANDLER_ISOLATION=isolation)
        world.until(lambda consumer=consumer: consumer.poll() is not None or world.waiting() == 0)
        if consumer.poll() is not None:
            deaths.append(consumer.returncode)
    assert deaths == dying
    assert completed(world) == 30
    assert world.sql.execute(
        "SELECT original_message_id, status, error_class FROM dlq_events"
    ).fetchall() == [(killer, "QUARANTINED", error)]


def test_a_handler_that_hangs_is_stopped_and_the_next_one_runs(world):
    world.set_policy(max_retries=0)
    world.send(1, before=60)
    world.send(1)
    consumer = world.consume(DLQ_HANDLER_TIMEOUT="3")
    world.drain(process=consumer)
    assert world.sql.execute("SELECT error_class, error_category FROM dlq_events").fetchall() == [
        ("HandlerTimeout", "TRANSIENT")
    ]
    assert completed(world) == 1


def test_an_error_that_cannot_be_stored_as_it_is_is_stored_as_it_can(world):
    world.set_policy(max_retries=0)
    for word in WORDS:
        world.send(1, do="say", word=word)
    world.send(1)
    consumer = world.consume()
    world.drain(process=consumer)
    reasons = [row[0] for row in world.sql.execute("SELECT error_reason FROM dlq_events ORDER BY id")]
    assert len(reasons) == len(WORDS)
    assert all(reason.startswith("Hiccup: ") and len(reason) <= 4_100 for reason in reasons)
    assert completed(world) == 1
    assert consumer.poll() is None


def test_a_service_that_is_down_is_asked_no_more_often_than_the_policy_says(world):
    # a lease that no busy machine outlasts: whoever loses one uses up a try without a call
    world.set_policy(max_retries=3, backoff_base_seconds=0.2, backoff_cap_seconds=0.4, lease_seconds=30)
    world.send(20, do="say", word="nul")
    consumer = world.consume(DLQ_BREAKER_FAILURES="0")
    world.drain(process=consumer)
    assert world.count("SELECT count(*) FROM calls") == 20 * 4
    assert world.count("SELECT count(*) FROM dlq_events WHERE error_category = 'TRANSIENT'") == 20
