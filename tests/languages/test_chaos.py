"""Workers in four languages on one queue, killed and cut off: nothing is lost, done twice or out of order."""

import random
import sys
import time
from collections import Counter

import pytest

from tests.sizes import sized

pytestmark = pytest.mark.faults

MESSAGES = sized(2_000, 20_000)
KILLS, ENDED = sized(6, 47), sized(9, 72)
GROUPS = 40
# as many of each as the machine can feed
FLEET = {"python": 1, "node": 2, "go": 1, "sql": 2}
SENT = """
    SELECT count(queue_send('orders', jsonb_build_object('n', n),
        group_key => CASE WHEN n %% 2 = 0 THEN 'customer-' || n %% (2 * %s) END))
    FROM (SELECT generate_series(1, %s) AS n ORDER BY n) numbered
"""
# A minute's lease of a worker whose session is gone need not be waited for.
LEFT = """
    UPDATE message_queue SET lease_until = clock_timestamp()
    WHERE status = 'processing' AND lease_until > clock_timestamp() AND owner ~ '[)] [0-9]+$'
        AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = substring(owner FROM '[0-9]+$')::int)
"""
OUT_OF_ORDER = """
    SELECT count(*) FROM (
        SELECT n, lag(n) OVER (PARTITION BY n %% (2 * %s) ORDER BY id) AS before FROM handled WHERE n %% 2 = 0
    ) grouped WHERE n < before
"""


class Fleet:
    """Workers that are started again when they end, as a supervisor does."""

    def __init__(self, world, commands) -> None:
        self.world, self.commands = world, commands
        self.running = []
        self.started: Counter[str] = Counter()
        for name, number in FLEET.items():
            for _ in range(number):
                self.start(name)

    def start(self, name: str) -> None:
        role = "app" if name == "python" else "consumer"
        self.running.append((name, self.world.start(self.commands[name], name, role)))
        self.started[name] += 1

    def tend(self) -> None:
        """Replace who has ended, and let go what they held."""
        for name, process in self.running[:]:
            if process.poll() is not None:
                self.running.remove((name, process))
                self.start(name)
        self.world.sql.execute(LEFT)

    def kill_one(self, chance: random.Random) -> None:
        chance.choice(self.running)[1].kill()


def test_nothing_is_lost_or_done_twice_whatever_dies(world, command_of, capsys):
    chance = random.Random(25)
    python = [sys.executable, "manage.py", "consume", "orders"]
    commands = {name: python if name == "python" else command_of(name) for name in FLEET}
    world.policy(max_retries=30, lease_seconds=3, backoff_base_seconds=0.05, backoff_cap_seconds=0.5)
    assert world.value(SENT, GROUPS, MESSAGES) == MESSAGES
    fleet, begun = Fleet(world, commands), time.monotonic()
    faults = ["kill"] * KILLS + ["end"] * ENDED
    chance.shuffle(faults)

    def has_come_to(number: int) -> bool:
        fleet.tend()
        return world.value("SELECT count(*) FROM handled") >= number

    for place, fault in enumerate(faults, start=1):
        world.until(lambda place=place: has_come_to(MESSAGES * place // (len(faults) + 1)), 120)
        fleet.kill_one(chance) if fault == "kill" else world.end_sessions(1)
    world.until(lambda: fleet.tend() or world.is_empty(), 120)
    seconds = time.monotonic() - begun

    handled = world.value("SELECT count(*) FROM handled")
    letters = world.value("SELECT count(*) FROM dlq_events")
    by_language = dict(
        world.sql.execute("SELECT worker, count(*) FROM handled GROUP BY 1 ORDER BY 1").fetchall()
    )
    with capsys.disabled():
        print(f"\n  {MESSAGES:,} messages in {seconds:.0f} s, {KILLS} killed, {ENDED} sessions ended")
        print(f"  handled by {by_language}, {letters} dead letters, started {dict(fleet.started)}")
    assert (handled, letters) == (MESSAGES, 0)
    assert world.value(OUT_OF_ORDER, GROUPS) == 0
    assert set(by_language) == set(FLEET)
