"""The holder of a lock dies, stands still or loses its line: nobody works under a lock that another has."""

import signal
import time
from collections.abc import Iterator

import pytest
from django.db import connection

from dlqconsole.engine.database.locks import holder
from tests.engine.database.locking import new_lock
from tests.faults.proxy import Proxy
from tests.operations.processes import Processes
from tests.plain_sql import rows
from tests.waiting import as_soon_as

pytestmark = [pytest.mark.faults, pytest.mark.django_db, pytest.mark.usefixtures("locks_are_forgotten")]

HOLDER = "tests.engine.database.lock_holder"


@pytest.fixture
def processes() -> Iterator[Processes]:
    with Processes() as processes:
        yield processes


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    """What stands before the database for every connection that is made from now on."""
    settings = connection.settings_dict
    port = settings["PORT"]
    proxy = Proxy(int(port))
    settings["PORT"] = str(proxy.port)
    yield proxy
    settings["PORT"] = port
    proxy.close()


def test_a_killed_holder_keeps_its_lock_until_it_runs_out_and_no_longer(processes):
    lock = new_lock(at_most=9)
    dead = processes.start(HOLDER, HELD_LOCK=lock.name, HELD_AT_MOST="2")
    dead.send_signal(signal.SIGKILL)
    dead.wait()
    assert lock.acquire() is None
    begun = time.monotonic()
    as_soon_as(lock.acquire, 10)
    assert time.monotonic() - begun < 2.5


def test_who_stood_still_for_longer_than_its_lock_wakes_up_without_it(processes):
    lock = new_lock(at_most=9)
    sleeper = processes.start(HOLDER, HELD_LOCK=lock.name, HELD_AT_MOST="1")
    stale = holder(lock.name).token
    sleeper.send_signal(signal.SIGSTOP)
    assert lock.acquire() is None
    time.sleep(1.1)
    successor = lock.acquire()
    sleeper.send_signal(signal.SIGCONT)
    assert sleeper.stdout.readline() == "lost\n"
    assert successor.token == stale + 1
    assert rows("SELECT lock_token_is_current(%s, %s)", lock.name, stale) == [(False,)]
    sleeper.send_signal(signal.SIGTERM)
    sleeper.wait()
    assert holder(lock.name).held  # the sleeper's release was none
    assert successor.release()


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_line_that_is_cut_in_the_middle_of_a_release_leaves_no_lock_behind(proxy, when):
    lock = new_lock()
    handle = lock.acquire()
    proxy.cut("SET lock_until = greatest", when)
    assert handle.release()
    assert proxy.cuts == 1
    assert lock.acquire()


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_line_that_is_cut_in_the_middle_of_an_extension_loses_nothing(proxy, when):
    handle = new_lock().acquire()
    proxy.cut("UPDATE shedlock SET lock_until =", when)
    assert handle.extend(60).release()
    assert proxy.cuts == 1


def test_a_line_that_is_cut_in_the_middle_of_an_acquisition_leaves_one_that_is_ours_or_none(proxy):
    lock = new_lock()
    proxy.cut("INSERT INTO shedlock", "before")
    assert lock.acquire() is None
    proxy.cut("INSERT INTO shedlock", "after")
    assert lock.acquire().release()
    assert proxy.cuts == 2
