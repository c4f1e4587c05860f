"""All fail at once, processes are killed, the database is away: each task is one dead letter, and closed."""

import os
import random
import signal
import statistics

import pytest

from tests.clients.celery.shop import application
from tests.sizes import SOAK

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.sized,
    pytest.mark.skipif(not SOAK, reason="it takes minutes: make soak"),
]

TASKS, KILLS, SECONDS = 1_000, 20, 300


def test_each_failed_task_is_one_dead_letter_and_closed_by_its_revive(shop, capsys):
    tasks = application(shop)
    lots = random.Random(26)
    (shop.folder / "seconds").unlink(missing_ok=True)
    with shop.database_away():
        keys = {send(tasks, number) for number in range(TASKS)}
        shop.until(lambda: results(tasks, keys), SECONDS)
        for _ in range(KILLS):
            before = results(tasks, keys)
            os.kill(lots.choice(shop.pool()), signal.SIGKILL)
            shop.until(lambda count=before: results(tasks, keys) > count, SECONDS)
        shop.until(lambda: results(tasks, keys) == len(keys), SECONDS)
        assert shop.letters() == []
    shop.until(lambda: len(shop.letters()) == len(keys), SECONDS)
    assert {letter["source_key"] for letter in shop.letters()} == keys
    # the same error of two event types
    groups = {
        (letter["event_type"], letter["group_id"]) for letter in shop.letters("error_class = 'BankIsAway'")
    }
    assert len(groups) == 3
    shop.broken.unlink()
    shop.revive(*shop.letters())

    def closed():
        shop.relay()
        return not shop.letters("status <> 'SUCCEEDED'")

    shop.until(closed, SECONDS)
    assert {line.split()[1] for line in shop.done() if not line.startswith("try")} >= {
        f"(({number},)," if number % 3 == 0 else f"({number},)" for number in range(TASKS)
    }
    waits = sorted(float(line) * 1_000 for line in (shop.folder / "seconds").read_text().split())
    with capsys.disabled():
        median, most = statistics.median(waits), waits[int(len(waits) * 0.99) - 1]
        print(f"\n{TASKS} tasks, {KILLS} kills; a report took {median:.1f} ms, 99 of 100 {most:.1f} ms")
    assert most < 50


def send(tasks, number):
    """A task that retries, one of a group, and one alone, by turns; its id."""
    kinds = (
        lambda: tasks.charge.delay(number),
        lambda: tasks.send_bill.delay(number),
        lambda: (
            tasks.chord([tasks.pack.s(number), tasks.ship.s([], number)], tasks.ship.s(number))
            .apply_async()
            .parent.results[0]
        ),
    )
    return kinds[number % 3]().id


def results(tasks, keys):
    """The number of tasks that have finally failed."""
    names = [tasks.app.backend.get_key_for_task(key) for key in keys]
    return sum(b'"status": "FAILURE"' in (found or b"") for found in tasks.app.backend.mget(names))
