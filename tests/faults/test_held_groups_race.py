"""A queue that holds, under consumers that fail and people who act: effects of a key in sending order."""

import random
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection

from dlqconsole.core import messages
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import OPEN, DeadLetterStatus
from dlqconsole.core.messages import queues
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine.database import sessions
from dlqconsole.engine.models import DeadLetter, Message, Queue
from dlqconsole.processing.outcomes import Failed
from tests.sizes import sized

pytestmark = pytest.mark.django_db(transaction=True)

INSERT = "INSERT INTO message_queue (queue, payload, group_key) VALUES ('q', %s, %s)"
FAILURE = Failed("Broken: it is", "TRANSIENT", "Broken", "")
# of each of four keys
PRODUCED = sized(40, 150)
TAKE = (
    "UPDATE dlq_events SET status = 'RETRYING', lease_token = gen_random_uuid(),"
    " lease_until = now() + interval '1 minute'"
    " WHERE id = %s AND status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')"
)
MOVE = "UPDATE dlq_events SET status = %s WHERE id = %s AND status = %s"


class Run:
    """What was sent, done and given up, by key, in the order in which it happened."""

    def __init__(self):
        self.guard = threading.Lock()
        self.effects = defaultdict(list)
        self.discarded = defaultdict(set)
        self.sending = threading.Event()
        self.over = threading.Event()
        self.deadline = time.monotonic() + 50

    def goes_on(self):
        return time.monotonic() < self.deadline and not self.over.is_set()

    def note(self, key, number):
        with self.guard:
            self.effects[key].append(number)


def run_sql(session, statement, *values):
    return session.execute(statement, values).rowcount


def produce(run, key):
    draw = random.Random(key)
    with sessions.own_connection() as session:
        for number in range(PRODUCED):
            with session.transaction():
                session.execute(INSERT, [str(number), key])
                time.sleep(draw.choice([0, 0, 0.002]))


def bury(claim):
    identity = Identity("q", "queue:q", str(claim.id), None)
    messages.dead_letter(claim, identity, FAILURE, DeadLetterStatus.PENDING)


def consume(run, seed):
    draw = random.Random(seed)
    try:
        while run.goes_on():
            messages.stage()
            for claim in retry_transient(lambda: messages.claim("q", draw.randint(1, 4), "me", 60)):
                time.sleep(draw.choice([0, 0, 0.001]))
                end = draw.choice(["done", "done", "done", "dead", "retry", "release", "die"])
                if end == "done":
                    run.note(claim.group_key, int(claim.payload))
                    retry_transient(partial(messages.complete, [claim]))
                elif end == "dead":
                    retry_transient(partial(bury, claim))
                elif end == "retry":
                    retry_transient(partial(messages.retry_later, claim, draw.choice([0, 0.003]), "again"))
                elif end == "release":
                    retry_transient(partial(messages.release, [claim]))
                else:
                    Message.objects.filter(id=claim.id).update(lease_until="2020-01-01T00:00:00Z")
            messages.unblock_forgotten("q")
    finally:
        connection.close()


def act(run, seed):
    """A person, or the schedule: revives, discards, or handles a dead letter again."""
    draw = random.Random(seed)
    with sessions.own_connection() as session:
        session.autocommit = True
        while run.goes_on():
            letters = session.execute(
                "SELECT id, group_key, payload::text FROM dlq_events WHERE status <> ALL (%s)",
                [["SUCCEEDED", "DISCARDED", "REVIVED"]],
            ).fetchall()
            if not letters:
                nothing_left = not session.execute(
                    "SELECT EXISTS (SELECT FROM message_queue) OR EXISTS (SELECT FROM dlq_events"
                    " WHERE status <> ALL (%s))",
                    [["SUCCEEDED", "DISCARDED"]],
                ).fetchone()[0]
                if nothing_left and not run.sending.is_set():
                    run.over.set()
                time.sleep(0.002)
                continue
            number, key, payload = draw.choice(letters)
            way = draw.choice(["revive", "revive", "revive", "retry", "discard"])
            if way == "revive":
                session.execute("SELECT dead_letter_revive(%s)", [number])
            elif way == "discard":
                if run_sql(session, MOVE, "DISCARDED", number, "PENDING"):
                    run.discarded[key].add(int(payload))
            elif run_sql(session, TAKE, number):
                success = draw.choice([True, False])
                if success:
                    run.note(key, int(payload))
                session.execute(MOVE, ["SUCCEEDED" if success else "PENDING", number, "RETRYING"])


@pytest.mark.faults
@pytest.mark.parametrize("is_unlogged", [False, True], ids=["logged", "unlogged"])
def test_the_effects_of_a_key_come_in_sending_order_whatever_fails(is_unlogged):
    Queue.objects.create(name="q", on_dead_letter="hold", unlogged=is_unlogged)
    queues.forget()
    run = Run()
    run.sending.set()
    keys = [f"g{number}" for number in range(4)]
    with ThreadPoolExecutor(12) as pool:
        producers = [pool.submit(produce, run, key) for key in keys]
        others = [pool.submit(consume, run, seed) for seed in range(5)]
        others += [pool.submit(act, run, seed) for seed in range(2)]
        for done in producers:
            done.result(60)
        run.sending.clear()
        for done in others:
            done.result(60)
    assert not Message.objects.exists()
    assert not DeadLetter.objects.filter(status__in=OPEN).exists()
    for key in keys:
        assert run.effects[key] == sorted(set(range(PRODUCED)) - run.discarded[key])
    assert DeadLetter.objects.filter(revive_count__gt=0).exists()


def test_a_sender_that_commits_after_its_group_was_freed_is_found():
    Queue.objects.create(name="q", on_dead_letter="hold")
    messages.send("q", "1", group_key="k")
    bury(*messages.claim("q", 1, "me", 60))
    with sessions.own_connection() as slow, slow.transaction():
        slow.execute(INSERT, ["2", "k"])
        DeadLetter.objects.update(status="DISCARDED")
    assert messages.claim("q", 1, "me", 60) == []
    assert messages.unblock_forgotten("q") == 1
    assert [claim.payload for claim in messages.claim("q", 1, "me", 60)] == ["2"]


def test_a_sender_that_commits_while_the_first_of_its_group_is_buried_waits():
    Queue.objects.create(name="q", on_dead_letter="hold")
    messages.send("q", "1", group_key="k")
    [first] = messages.claim("q", 1, "me", 60)
    with sessions.own_connection() as slow, slow.transaction():
        slow.execute(INSERT, ["2", "k"])
        bury(first)
    assert messages.claim("q", 1, "me", 60) == []
    assert messages.unblock_forgotten("q") == 0
    DeadLetter.objects.update(status="DISCARDED")
    assert [claim.payload for claim in messages.claim("q", 1, "me", 60)] == ["2"]
