"""Eight consumers, messages by the thousand, and everything that can go wrong at once."""

import os
import random
import time

import pytest

from tests.faults.monkey import Monkey
from tests.faults.producer import DEADLY, REFUSED_EVERY, STUMBLING_EVERY
from tests.faults.verdict import judge, read_ledgers
from tests.sizes import sized

pytestmark = pytest.mark.faults

MESSAGES = sized(2_400, 20_000)
SEED = int(os.environ.get("FAULTS_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
PRODUCERS = 3
FAULTS = sized(30, 90)
SECONDS = MESSAGES / 500


def test_nothing_is_lost_or_done_twice_whatever_dies(world, tmp_path, capsys):
    begun = time.monotonic()
    monkey = Monkey(world, SEED, 8, MESSAGES // FAULTS)
    ledgers = [tmp_path / f"ledger-{number}" for number in range(PRODUCERS)]
    share = [MESSAGES // PRODUCERS + (number < MESSAGES % PRODUCERS) for number in range(PRODUCERS)]
    producers = [
        world.run(
            "tests.faults.producer", f"p{number}", str(share[number]), str(SEED), str(SECONDS), str(file)
        )
        for number, file in enumerate(ledgers)
    ]
    crashes, recoveries = [MESSAGES * 2 // 10, MESSAGES * 5 // 10], []
    while crashes or any(producer.poll() is None for producer in producers):
        monkey.harm()
        if crashes and world.count("SELECT count(*) FROM produced") > crashes[0]:
            crashes.pop(0)
            recoveries.append(monkey.crash_database())
    sent = time.monotonic()
    world.until(lambda: monkey.tend() or world.waiting() == 0, 60)
    drained = time.monotonic()
    monkey.rest()
    verdict = judge(world.sql, *read_ledgers(ledgers))

    place = "SELECT count(*) FROM produced WHERE split_part(key, '-', 2)::int"
    refused = world.count(f"{place} %% %s = 0", REFUSED_EVERY)
    stumbled = world.count(
        f"{place} %% %s = 0 AND split_part(key, '-', 2)::int %% %s > 0", STUMBLING_EVERY, REFUSED_EVERY
    )
    # once each, the stumbling twice, the deadly three times
    needed = verdict.completed + verdict.dead_lettered + stumbled + 2 * verdict.quarantined

    with capsys.disabled():
        print(f"\n  seed {SEED}: {MESSAGES:,} messages, 8 consumers, {PRODUCERS} producers")
        for fault, times in sorted(monkey.faults.items()):
            print(f"  {fault:<28}{times:>10,}")
        print(verdict)
        print(f"  calls because of faults {verdict.calls - needed:>10,}")
        print(f"  first completion after a crash: {', '.join(f'{r:.1f} s' for r in recoveries)}")
        print(f"  sent in {sent - begun:.0f} s, drained {drained - sent:.1f} s later")
    assert [world.said(producer) for producer in producers if producer.returncode] == []
    assert monkey.failed == []
    assert monkey.two_of_a_group == 0
    assert monkey.faults["database crashed"] == 2
    assert verdict.faultless
    assert verdict.attempted == MESSAGES
    assert verdict.quarantined == world.count(f"{place} = %s", DEADLY)
    assert verdict.dead_lettered == verdict.quarantined + refused
    assert verdict.calls_per_message < 1.1
