"""No wake-up is missed: what was committed is claimed at once, by a consumer that would else sleep on."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psycopg
import pytest

from tests.sizes import sized

pytestmark = pytest.mark.faults

SENDS = sized(450, 3_000)
TOGETHER = 3
LATE = 1.5
# the sleeper announces, looks and waits within these seconds after its last message
WINDOW = 0.006

# a message for ``race`` is handled as one for the tests' own handler that does nothing
INSERT = """
    INSERT INTO message_queue (queue, payload, headers)
    SELECT 'race', '{"key": "r", "do": "nothing"}', '{"ce_type": "nothing"}' FROM generate_series(1, %s)
    RETURNING id
"""


class Producer:
    """Sends once a round: at once, in a transaction left open, or with an old snapshot."""

    def __init__(self, url: str, seed: str) -> None:
        self.draw = random.Random(seed)
        self.session = psycopg.connect(url, autocommit=True)
        self.committed_at: dict[int, float] = {}

    def send(self) -> None:
        """One transaction; when each of its messages was committed, or a moment later."""
        match self.draw.choices(["plain", "open", "old snapshot"], weights=[8, 1, 1])[0]:
            case "plain":
                time.sleep(self.draw.uniform(0, WINDOW))
                self._insert(self.draw.choice([1, 1, 1, 2]))
            case "open":
                time.sleep(self.draw.uniform(0, WINDOW))
                with self.session.transaction():
                    self._insert(1)
                    time.sleep(self.draw.uniform(0.005, 0.05))
            case "old snapshot":
                self._insert(25)  # so that the consumer is awake
                self.session.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM queue_sleepers")
                time.sleep(self.draw.uniform(0.005, 0.05))  # so that it sleeps by now, unseen
                self._insert(1)
                self.session.execute("COMMIT")
        self.committed_at.update(dict.fromkeys(self._ids, time.time()))

    def _insert(self, count: int) -> None:
        self._ids = [row[0] for row in self.session.execute(INSERT, [count])]
        self.committed_at.update(dict.fromkeys(self._ids, time.time()))


def run(world, sends: int, sleepers: int) -> list[float]:
    """Rounds of sends, each awaited until all of it was claimed; seconds from commit to claim, sorted."""
    world.sql.execute("INSERT INTO queues (name, retention) VALUES ('race', 'archive')")
    for _ in range(sleepers):
        process = world.run("tests.faults.sleeper", "30")
        world.until(lambda process=process: "ready" in world.said(process), process=process)
    url = world.server.url(world.database)
    producers = [Producer(url, f"{number}") for number in range(TOGETHER)]
    draw = random.Random("pause")
    with ThreadPoolExecutor(TOGETHER) as pool:
        for _ in range(sends // TOGETHER):
            for done in [pool.submit(producer.send) for producer in producers]:
                done.result()
            late_at = time.monotonic() + LATE
            while world.count("SELECT count(*) FROM message_queue") and time.monotonic() < late_at:
                time.sleep(0.0005)
            if draw.random() < 0.2:
                time.sleep(draw.uniform(0, 0.02))
    world.until(lambda: world.waiting() == 0, 40)
    claimed_at = dict(
        world.sql.execute(
            "SELECT id, extract(epoch FROM dequeued_time)::float8 FROM message_archive"
        ).fetchall()
    )
    for producer in producers:
        producer.session.close()
    committed_at = {number: at for producer in producers for number, at in producer.committed_at.items()}
    assert claimed_at.keys() == committed_at.keys()
    return sorted(claimed_at[number] - committed_at[number] for number in committed_at)


@pytest.mark.parametrize("sleepers", [1, 3])
def test_every_message_is_claimed_at_once_though_nobody_polls(world, capsys, sleepers):
    sends = SENDS if sleepers == 1 else SENDS // 3
    waits = run(world, sends, sleepers)
    late = [wait for wait in waits if wait > LATE]
    with capsys.disabled():
        middle, rare = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
        print(
            f"\n  {sleepers} sleeping, {len(waits):,} messages in {sends:,} transactions: {len(late)} missed;"
            f" claimed after {middle * 1000:.1f} ms (median), {rare * 1000:.0f} ms (p99),"
            f" {waits[-1] * 1000:.0f} ms (longest)"
        )
    assert late == []


def test_a_message_sent_while_the_listener_is_gone_is_found_by_polling(world):
    consumer = world.consume()
    world.send(1)
    world.drain(process=consumer)
    world.until(lambda: world.count("SELECT count(*) FROM queue_sleepers WHERE until > clock_timestamp()"))
    # it says that it sleeps a moment before it listens
    world.until(lambda: world.terminate_backends("query LIKE '%pg_try_advisory%' OR query LIKE 'LISTEN%'"))
    sent = time.monotonic()
    world.send(1)
    world.drain(10, consumer)
    assert time.monotonic() - sent < 4
    # and it listens again
    time.sleep(0.5)
    assert world.count("SELECT count(*) FROM queue_sleepers WHERE until > clock_timestamp()") == 1


def test_a_thousand_messages_of_one_transaction_are_one_wake_up_and_all_done(world):
    consumer = world.consume("--batch", "100")
    world.send(1)
    world.drain(process=consumer)
    world.until(lambda: world.count("SELECT count(*) FROM queue_sleepers WHERE until > clock_timestamp()"))
    with psycopg.connect(world.server.url(world.database), autocommit=True) as listener:
        listener.execute("LISTEN message_queue")
        with world.sql.transaction():
            for _ in range(1000):
                world.put({"key": str(time.monotonic_ns())})
        world.drain(20, consumer)
        heard = [one.payload for one in listener.notifies(timeout=1)]
    assert heard == ["chaos"]
    with suppress(ProcessLookupError):
        consumer.terminate()
    assert world.count("SELECT count(*) FROM enriched_events") == 1001
