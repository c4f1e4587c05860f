"""Workers and consumers die at every place that has a name; what they held is done by others, once."""

import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dlqconsole.processing import crash_points
from tests.faults.letters import REASON, fill, keep_ledger, remember
from tests.faults.operation_verdict import RELEASED, judge_operations
from tests.faults.person import Person
from tests.faults.verdict import judge

SOURCE = Path(crash_points.__file__).parents[1]
CONSUMERS = [name for name in crash_points.NAMES if name.startswith("consumer.")]
OPERATIONS = [name for name in crash_points.NAMES if name.startswith("operation.")]
# a feature's own, read as text: it need not be installed
OF_A_FEATURE = re.compile(r"^CRASH_POINTS = \((.*?)^\)", re.DOTALL | re.MULTILINE)
# the how-manieth time each of three consumers dies there
TIMES = (1, 3, 8)
# the module by itself: the packages around it take a second to import, for each of the names
EACH_TWICE = """
import runpy, sys
module = runpy.run_path(sys.argv[1])
for _ in range(2):
    for name in module["NAMES"]:
        module["reach"](name)
        print(name, flush=True)
"""


def test_every_place_that_is_reached_has_a_name_and_every_name_is_reached():
    texts = [file.read_text() for file in SOURCE.rglob("*.py") if file.name != "crash_points.py"]
    found = [name for text in texts for name in re.findall(r"(?<!def )\breach\(\s*([^)]*?)\s*\)", text)]
    points = "".join(each for text in texts for each in OF_A_FEATURE.findall(text))
    features = re.findall('"(.+?)"', points)
    # a place may be reached on two ways
    assert sorted(set(found)) == sorted(f'"{name}"' for name in (*crash_points.NAMES, *features))


@pytest.mark.parametrize("chosen", ["", *crash_points.NAMES])
def test_nobody_dies_unless_the_variable_names_the_place(chosen):
    environment = {name: value for name, value in os.environ.items() if name != "DLQ_CRASH_POINT"}
    if chosen:
        environment["DLQ_CRASH_POINT"] = f"{chosen}:2"
    line = [sys.executable, "-S", "-c", EACH_TWICE, crash_points.__file__]
    done = subprocess.run(line, env=environment, capture_output=True, text=True)
    reached = done.stdout.split()
    if chosen:
        assert done.returncode == -signal.SIGKILL
        assert len(reached) == len(crash_points.NAMES) + crash_points.NAMES.index(chosen)
    else:
        assert done.returncode == 0
        assert len(reached) == 2 * len(crash_points.NAMES)


@pytest.mark.faults
@pytest.mark.parametrize("name", CONSUMERS)
def test_a_death_here_loses_and_doubles_nothing(world, name):
    draw = random.Random(name)
    keys = []
    for number in range(200):
        row = {"key": f"p-{number}", "place": number}
        if number % 3 == 0:
            row["group"] = f"g{draw.randrange(5)}"
        row["do"] = "refuse" if number % 10 == 3 else "stumble" if number % 10 == 6 else "succeed"
        keys.append(row["key"])
        world.put(row)
    victims = [world.consume("--batch", "7", DLQ_CRASH_POINT=f"{name}:{times}") for times in TIMES]
    for victim in victims:
        assert victim.wait(30) == -signal.SIGKILL, world.said(victim)
    assert world.waiting() > 0
    healthy = world.consume("--batch", "7")
    world.drain(process=healthy)
    verdict = judge(world.sql, keys, keys)
    assert verdict.faultless, f"\n{verdict}"
    assert (verdict.completed, verdict.dead_lettered) == (180, 20)
    assert world.count("SELECT max(crash_count) FROM dlq_events") == 0


@pytest.mark.faults
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_worker_that_dies_here_loses_and_doubles_nothing(world, name):
    keep_ledger(world.sql)
    for lump in range(3):
        # far apart, so that the selection is made in several windows
        world.sql.execute(f"SELECT setval('dlq_events_id_seq', {1 + lump * 100_000})")
        fill(world.sql, random.Random(f"{name}-{lump}"), 400)
    remember(world.sql)
    alice = Person(world, "alice")
    operation = alice.request("revive", filter={"reason": REASON}, parameters={"undo_seconds": 1})
    environment = {"DLQ_OPERATION_PAGE": "100", "DLQ_LEASE_SECONDS": "2"}
    for times in (1, 2) if "releas" not in name else (1, 1):
        victim = world.run("tests.operations.worker", DLQ_CRASH_POINT=f"{name}:{times}", **environment)
        world.until(lambda victim=victim: victim.poll() is not None)
        assert victim.returncode == -signal.SIGKILL, world.said(victim)
    worker = world.run("tests.operations.worker", **environment)
    world.until(lambda: world.count(RELEASED, operation), process=worker)
    figures = judge_operations(world.sql)
    assert figures.faultless, f"\n{figures}"
    assert figures.operations[operation].status == "completed"
    assert world.count("SELECT count(*) FROM message_queue WHERE status = 'held'") == 0
    assert world.count("SELECT adoptions FROM operations") <= 2
