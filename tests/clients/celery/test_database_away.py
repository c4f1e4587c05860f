"""The console's database is away for five minutes: no task waits for it, and no failure is lost."""

import statistics
import time

import pytest

from tests.clients.celery.shop import application
from tests.sizes import SOAK

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.sized,
    pytest.mark.skipif(not SOAK, reason="it takes minutes: make soak"),
]

# tasks that fail before, and the seconds for which it is away
TASKS, AWAY = 200, 300


@pytest.fixture(scope="module")
def tasks(running_shop):
    return application(running_shop)


# a server that hangs for ever is left after half a minute
@pytest.mark.parametrize("how", ["closed", "hanging up", "silent"])
def test_no_task_is_slower_and_each_failure_comes_when_it_is_back(shop, tasks, how, capsys):
    before, keys = fail(shop, tasks)
    shop.until(lambda: len(shop.letters()) == len(keys), 60)
    with shop.database_away(how):
        away, others = fail(shop, tasks, AWAY)
        assert len(shop.letters()) == len(keys)
    keys |= others
    shop.until(lambda: len(shop.letters()) == len(keys), 150)
    assert {letter["source_key"] for letter in shop.letters()} == keys
    assert {letter["occurrences"] for letter in shop.letters()} == {1}
    slower = statistics.median(away) - statistics.median(before)
    with capsys.disabled():
        print(f"\n{how}: {told(before)} before, {told(away)} away")
    assert slower < 0.05


def fail(shop, tasks, seconds=0):
    """Let tasks fail one after another, for so long at least. How long each took, and their ids."""
    file, keys, end = shop.folder / "durations", set(), time.monotonic() + seconds
    file.unlink(missing_ok=True)
    while len(keys) < TASKS or time.monotonic() < end:
        keys.add(tasks.charge.delay(len(keys)).id)
        shop.until(lambda: file.exists() and len(file.read_text().splitlines()) == len(keys), 60)
    return [float(line) for line in file.read_text().split()], keys


def told(durations):
    """The median and the slowest, in milliseconds."""
    median, most = statistics.median(durations) * 1e3, max(durations) * 1e3
    return f"{len(durations)} tasks of {median:.1f} ms, {most:.1f} ms at most"
