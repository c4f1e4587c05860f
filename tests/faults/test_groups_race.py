"""Eight consumers race for the messages of a few groups: no two of one group are ever held at once."""

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import connection, transaction

from dlqconsole.consuming.queue_session import QueueSession
from dlqconsole.core import messages
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine.database import sessions
from dlqconsole.engine.models import Message
from dlqconsole.transports.native.source import NativeSource
from tests.sizes import sized

pytestmark = pytest.mark.django_db(transaction=True)

INSERT = "INSERT INTO message_queue (queue, payload, group_key) VALUES ('q', %s, %s) RETURNING id"
# by each of four producers
PRODUCED = sized(40, 120)

ENDS = {
    "complete": lambda claim: messages.complete([claim]),
    "release": lambda claim: messages.release([claim]),
    "retry": lambda claim: messages.retry_later(claim, 0, "again"),
    "snooze": lambda claim: messages.snooze([claim], 0.005),
    # never so often that it is quarantined
    "die": lambda claim: Message.objects.filter(id=claim.id).update(
        lease_until="2020-01-01T00:00:00Z", crash_count=0
    ),
}


@pytest.mark.faults
def test_no_two_of_a_group_are_held_at_once_whatever_becomes_of_them():
    """Producers commit out of order, and consumers complete, retry, give back and die."""
    sending = threading.Event()
    held: Counter[str] = Counter()
    guard, together, outcomes = threading.Lock(), [], Counter()

    def produce(seed: int) -> None:
        draw = random.Random(seed)
        with sessions.own_connection() as session:
            for number in range(PRODUCED):
                with session.transaction():
                    session.execute(INSERT, [str(number), f"g{draw.randrange(4)}"])
                    time.sleep(draw.choice([0, 0, 0.002, 0.01]))

    def consume(seed: int) -> None:
        draw = random.Random(seed)
        try:
            while (sending.is_set() or Message.objects.exists()) and time.monotonic() < deadline:
                messages.stage()
                for claim in retry_transient(lambda: messages.claim("q", draw.randint(1, 4), "me", 60)):
                    with guard:
                        held[claim.group_key] += 1
                        together.extend([claim.group_key] * (held[claim.group_key] > 1))
                    time.sleep(draw.choice([0, 0, 0.001]))
                    with guard:
                        held[claim.group_key] -= 1
                    end = draw.choice(
                        ["complete", "complete", "complete", "release", "retry", "snooze", "die"]
                    )
                    outcomes[end] += 1
                    retry_transient(lambda claim=claim, end=end: ENDS[end](claim))
                messages.unblock_forgotten("q")
        finally:
            connection.close()

    sending.set()
    deadline = time.monotonic() + 50
    with ThreadPoolExecutor(12) as pool:
        consumers = [pool.submit(consume, seed) for seed in range(8)]
        producers = [pool.submit(produce, seed) for seed in range(4)]
        for done in producers:
            done.result(60)
        sending.clear()
        for done in consumers:
            done.result(60)
    assert together == []
    assert outcomes["complete"] == 4 * PRODUCED
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    "take", [lambda: messages.claim("q", 5, "you", 60), lambda: messages.pop("q", 5)], ids=["claim", "pop"]
)
def test_an_earlier_message_that_is_committed_late_waits_for_the_one_in_flight(take):
    with sessions.own_connection() as slow:
        with slow.transaction():
            [earlier] = slow.execute(INSERT, ["1", "g"]).fetchone()
            later = messages.send("q", "2", group_key="g")
            [flying] = messages.claim("q", 5, "me", 60)
        assert (flying.id, take()) == (later, [])
        messages.complete([flying])
    assert [claim.id for claim in take()] == [earlier]


def test_who_loses_the_race_for_a_group_claims_nothing_and_goes_on():
    """Both saw the group free: one an earlier message that had just been committed, one the later one."""
    outcome: list[object] = []

    def rival() -> None:
        try:
            outcome.append(QueueSession("q", NativeSource(), "q", "rival").claim(5, 60))
        except Exception as error:
            outcome.append(error)
        finally:
            connection.close()

    with sessions.own_connection() as slow, sessions.own_connection() as watcher:
        thread = threading.Thread(target=rival)
        with transaction.atomic():
            with slow.transaction():
                slow.execute(INSERT, ["1", "g"])
                with sessions.own_connection() as quick:
                    quick.execute(INSERT, ["2", "g"])
                [claim] = messages.claim("q", 5, "me", 60)
            thread.start()
            _until_it_waits(watcher, outcome)
        thread.join(20)
        refused = watcher.execute("SELECT count(*) FROM message_queue WHERE status = 'processing'").fetchone()
    assert outcome == [[]]
    assert refused == (1,)
    assert messages.complete([claim]) == {claim.id}
    assert len(messages.claim("q", 5, "you", 60)) == 1


def _until_it_waits(watcher: psycopg.Connection, outcome: list[object]) -> None:
    for _ in range(500):
        waiting = watcher.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            " AND datname = current_database()"
        )
        assert outcome == []
        if waiting.fetchone() != (0,):
            return
        time.sleep(0.01)
    raise AssertionError("the rival did not wait for the group's guard")
