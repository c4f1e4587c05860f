"""ShedLock's contract, case by case, by whichever clock and however strictly transactions are isolated."""

import time
from contextlib import nullcontext
from functools import partial

import pytest
from django.db import transaction

from dlqconsole.engine.database import sessions
from dlqconsole.engine.database.locks import LockMisused, ShedLock, holder
from tests.engine.database.locking import new_lock
from tests.plain_sql import execute
from tests.sizes import sized
from tests.threads import at_once

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("mode", "locks_are_forgotten"),
    pytest.mark.sized,
]

ROUNDS = sized(4, 100)


def again(lock: ShedLock) -> ShedLock:
    """The lock as another process sees it that has never met it before."""
    return ShedLock(lock.name, at_most=lock.at_most, at_least=lock.at_least)


# What every lock can do.


def test_a_free_lock_is_taken_and_released():
    lock = new_lock()
    handle = lock.acquire()
    assert holder(lock.name).locked_by == handle.locked_by
    assert holder(lock.name).held
    assert handle.release()
    assert not holder(lock.name).held


def test_a_held_lock_is_not_given_twice():
    lock = new_lock()
    handle = lock.acquire()
    assert again(lock).acquire() is None
    handle.release()


def test_two_names_are_independent():
    first, second = new_lock().acquire(), new_lock().acquire()
    assert first.release()
    assert second.release()


def test_it_can_be_taken_twice_in_a_row():
    lock = new_lock()
    lock.acquire().release()
    assert lock.acquire().release()


def test_it_runs_out_when_its_holder_dies():
    lock = new_lock(at_most=0.5)
    assert lock.acquire()
    time.sleep(0.6)
    assert lock.acquire()


def test_it_can_be_taken_right_after_its_release():
    lock = new_lock(at_most=5)
    for _ in range(10):
        handle = lock.acquire()
        assert handle is not None
        assert lock.acquire() is None
        handle.release()


def test_it_is_held_at_least_so_long():
    lock = new_lock(at_least=0.5)
    lock.acquire().release()
    assert lock.acquire() is None
    time.sleep(0.51)
    assert lock.acquire()


def test_eight_threads_never_work_at_the_same_time():
    _counts_are_right(in_a_transaction=False)


# Locks that can be extended.


def test_it_can_be_extended():
    lock = new_lock(at_most=0.4)
    extended = lock.acquire().extend(5)
    time.sleep(0.41)
    assert lock.acquire() is None
    assert extended.release()
    assert lock.acquire()


def test_it_can_be_extended_many_times():
    lock = new_lock(at_most=0.5)
    handle = lock.acquire()
    for _ in range(4):
        time.sleep(0.15)
        handle = handle.extend(0.5)
    assert lock.acquire() is None
    assert handle.release()


def test_it_can_be_extended_with_a_least_time():
    lock = new_lock(at_most=10)
    lock.acquire().extend(10, at_least=0.5).release()
    assert lock.acquire() is None
    time.sleep(0.51)
    assert lock.acquire()


def test_a_released_lock_cannot_be_extended():
    handle = new_lock().acquire()
    handle.release()
    with pytest.raises(LockMisused):
        handle.extend(5)


def test_an_expired_lock_cannot_be_extended():
    handle = new_lock(at_most=0.2).acquire()
    time.sleep(0.21)
    assert handle.extend(5) is None
    with pytest.raises(LockMisused):
        handle.release()


def test_a_handle_cannot_be_extended_twice():
    handle = new_lock().acquire()
    assert handle.extend(5)
    with pytest.raises(LockMisused):
        handle.extend(5)


def test_a_handle_cannot_be_released_after_it_was_extended():
    handle = new_lock().acquire()
    assert handle.extend(5)
    with pytest.raises(LockMisused):
        handle.release()


# Locks in a table.


def test_who_has_never_met_a_held_lock_is_refused_until_its_release():
    lock = new_lock()
    handle = lock.acquire()
    assert again(lock).acquire() is None
    assert handle.release()
    assert again(lock).acquire()


def test_who_has_never_met_a_released_lock_takes_it():
    lock = new_lock()
    lock.acquire().release()
    assert again(lock).acquire()
    assert lock.acquire() is None


def test_a_row_that_is_there_already_is_taken_over_once_it_has_run_out():
    lock = new_lock(at_most=5)
    _row_of_another_fleet(lock.name, seconds=-1)
    assert lock.acquire()


def test_a_transaction_around_the_work_changes_nothing():
    _counts_are_right(in_a_transaction=True)


def _row_of_another_fleet(name: str, seconds: int) -> None:
    with sessions.own_connection() as other:
        other.execute(
            "INSERT INTO shedlock VALUES (%s, timezone('utc', clock_timestamp()) + make_interval(secs => %s),"
            " timezone('utc', clock_timestamp()), 'java-1')",
            [name, seconds],
        )


def _counts_are_right(in_a_transaction: bool) -> None:
    """Two locks, each around an unguarded counter that comes out wrong if two threads ever overlap."""
    counters = {new_lock().name: 0, new_lock().name: 0}
    one, two = counters

    def work(name: str, rounds: int) -> None:
        with transaction.atomic() if in_a_transaction else nullcontext():
            execute("SELECT 1")  # from here on the transaction's CURRENT_TIMESTAMP stands still
            _count(name, rounds, counters)

    few = max(ROUNDS // 10, 1)
    plan = [(one, few), *[(two, ROUNDS), (one, ROUNDS)] * 3, (two, ROUNDS)]
    at_once([partial(work, *step) for step in plan])
    assert counters == {one: few + 3 * ROUNDS, two: 4 * ROUNDS}


def _count(name: str, rounds: int, counters: dict[str, int]) -> None:
    lock = ShedLock(name, at_most=300, at_least=0.005)
    for _ in range(rounds):
        while (handle := lock.acquire()) is None:
            time.sleep(0.01)
        seen = counters[name]
        time.sleep(0.001)
        counters[name] = seen + 1
        handle.release()
