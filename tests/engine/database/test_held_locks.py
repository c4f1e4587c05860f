"""A lock that is kept while a block runs: extended by a thread, lost for certain, given up in any case."""

import signal
import time
from pathlib import Path

import psycopg
import pytest

from dlqconsole.core.errors import LockHeld
from dlqconsole.engine.database import sessions
from dlqconsole.engine.database.locks import HeldLock, holder, shedlock
from dlqconsole.engine.database.locks.shedlock import Handle
from tests.engine.database.locking import new_lock
from tests.operations.processes import Processes
from tests.waiting import eventually

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("locks_are_forgotten")]


def held(at_most: float = 30.0, at_least: float = 0.0) -> HeldLock:
    return HeldLock(new_lock().name, at_most=at_most, at_least=at_least)


def test_it_is_kept_for_as_long_as_the_block_works():
    with held(at_most=0.9) as lock:
        time.sleep(1.2)
        assert lock.is_held
        assert new_lock(name=lock.name).acquire() is None
        assert holder(lock.name).token == lock.token == 1
    assert not lock.is_held
    assert new_lock(name=lock.name).acquire()


def test_who_finds_it_held_is_told_by_whom_and_until_when():
    with held() as lock, pytest.raises(LockHeld, match=f"{lock.name} is held by .+ until .+ UTC"):
        HeldLock(lock.name, at_most=5).__enter__()


def test_an_error_in_the_block_gives_it_up_at_once():
    lock = held()
    with pytest.raises(KeyError), lock:
        raise KeyError
    assert new_lock(name=lock.name).acquire()


def test_it_is_given_up_only_once_its_least_time_has_passed():
    with held(at_least=0.5) as lock:
        pass
    assert new_lock(name=lock.name).acquire() is None
    time.sleep(0.51)
    assert new_lock(name=lock.name).acquire()


def test_a_connection_that_breaks_is_made_anew_while_the_lock_still_holds(monkeypatch):
    prolong, broken = Handle.prolong, []

    def breaks_twice(handle: Handle, at_most: float) -> bool:
        if len(broken) < 2:
            broken.append(1)
            raise psycopg.OperationalError("the connection is lost")
        return prolong(handle, at_most)

    monkeypatch.setattr(Handle, "prolong", breaks_twice)
    with held(at_most=1.2) as lock:
        time.sleep(1.5)
        assert broken
        assert lock.is_held


def test_a_database_that_is_away_for_longer_than_the_lock_is_the_end_of_it(monkeypatch):
    def away(*_of: object) -> bool:
        raise psycopg.OperationalError("no server")

    monkeypatch.setattr(Handle, "prolong", away)
    with held(at_most=0.2) as lock:
        assert lock.is_held
        time.sleep(0.21)
        assert not lock.is_held


def test_who_stood_still_for_longer_than_the_lock_knows_it_before_it_asks_anybody(monkeypatch):
    with held() as lock:
        later = shedlock.elapsed() + 31
        monkeypatch.setattr("dlqconsole.engine.database.locks.held_lock.elapsed", lambda: later)
        assert not lock.is_held


def test_a_lock_that_somebody_took_is_lost_at_the_next_extension():
    with held(at_most=0.15) as lock:
        with sessions.own_connection() as other:
            other.execute("UPDATE shedlock SET lock_until = locked_at WHERE name = %s", [lock.name])
        assert new_lock(name=lock.name, at_most=9).acquire()
        eventually(lambda: not lock.is_held)
    assert holder(lock.name).held  # the successor's


def test_sigterm_gives_it_up_at_once():
    name = new_lock().name
    with Processes(HELD_LOCK=name) as processes:
        worker = processes.start("tests.engine.database.lock_holder")
        assert new_lock(name=name).acquire() is None
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(20) == 128 + signal.SIGTERM
    assert new_lock(name=name).acquire()


def test_sigterm_is_left_to_the_thread_that_can_leave_the_block():
    with held() as lock:
        status = Path(f"/proc/self/task/{lock._thread.native_id}/status")
        eventually(lambda: blocked_signals(status) >> signal.SIGTERM - 1 & 1)


def blocked_signals(status: Path) -> int:
    [line] = [line for line in status.read_text().splitlines() if line.startswith("SigBlk:")]
    return int(line.split()[1], 16)
