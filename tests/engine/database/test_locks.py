"""ShedLock's own contract, case by case, and what it does not promise but we do."""

import threading
import time
import uuid

import psycopg
import pytest
from django.db import connection, transaction

from dlqconsole.engine.database import locks
from dlqconsole.engine.database.locks import LockMisused, ShedLock
from dlqconsole.engine.errors import LockHeld

pytestmark = pytest.mark.django_db(transaction=True)


def _lock(at_most: float = 30.0, at_least: float = 0.0, name: str | None = None) -> ShedLock:
    return ShedLock(name or f"test-{uuid.uuid4()}", at_most=at_most, at_least=at_least)


def test_a_free_lock_is_taken_and_released():
    lock = _lock()
    handle = lock.acquire()
    assert locks.holder(lock.name).held
    assert handle.release()
    assert not locks.holder(lock.name).held


def test_a_held_lock_is_not_given_twice():
    lock = _lock()
    handle = lock.acquire()
    assert lock.acquire() is None
    handle.release()


def test_two_names_are_independent():
    first, second = _lock(), _lock()
    handles = [first.acquire(), second.acquire()]
    assert all(handles)
    for handle in handles:
        handle.release()


def test_it_can_be_taken_twice_in_a_row():
    lock = _lock()
    lock.acquire().release()
    assert lock.acquire().release()


def test_it_runs_out_when_its_holder_dies():
    lock = _lock(at_most=0.05)
    assert lock.acquire()
    time.sleep(0.1)
    assert lock.acquire()


def test_it_can_be_taken_right_after_its_release():
    lock = _lock(at_most=5)
    for _ in range(10):
        handle = lock.acquire()
        assert handle is not None
        assert lock.acquire() is None
        handle.release()


def test_it_is_held_at_least_so_long():
    lock = _lock(at_least=0.6)
    lock.acquire().release()
    assert lock.acquire() is None
    time.sleep(0.7)
    assert lock.acquire()


def test_it_can_be_extended():
    lock = _lock(at_most=0.3)
    extended = lock.acquire().extend(5)
    time.sleep(0.4)
    assert lock.acquire() is None
    extended.release()
    assert lock.acquire()


def test_it_can_be_extended_many_times():
    lock = _lock(at_most=0.3)
    handle = lock.acquire()
    for _ in range(5):
        handle = handle.extend(0.3)
        time.sleep(0.1)
    assert lock.acquire() is None
    assert handle.release()


def test_it_can_be_extended_with_a_least_time():
    lock = _lock(at_most=10)
    lock.acquire().extend(10, at_least=0.8).release()
    assert lock.acquire() is None
    time.sleep(0.9)
    assert lock.acquire()


def test_a_released_lock_cannot_be_extended():
    handle = _lock().acquire()
    handle.release()
    with pytest.raises(LockMisused):
        handle.extend(5)


def test_an_expired_lock_cannot_be_extended():
    handle = _lock(at_most=0.05).acquire()
    time.sleep(0.1)
    assert handle.extend(5) is None


def test_a_handle_cannot_be_extended_twice():
    handle = _lock().acquire()
    assert handle.extend(5)
    with pytest.raises(LockMisused):
        handle.extend(5)


def test_a_handle_cannot_be_released_after_it_was_extended():
    handle = _lock().acquire()
    assert handle.extend(5)
    with pytest.raises(LockMisused):
        handle.release()


def test_a_failed_extension_uses_the_handle_up():
    handle = _lock(at_most=0.01).acquire()
    time.sleep(0.05)
    assert handle.extend(5) is None
    with pytest.raises(LockMisused):
        handle.release()


def test_a_row_from_another_fleet_is_taken_over_once_it_has_expired():
    name = f"test-{uuid.uuid4()}"
    _row_of_another_fleet(name, seconds=-1)
    assert ShedLock(name, at_most=5).acquire()


def test_a_row_from_another_fleet_is_respected_until_it_expires():
    name = f"test-{uuid.uuid4()}"
    _row_of_another_fleet(name, seconds=9)
    with pytest.raises(LockHeld, match="java-1"), ShedLock(name, at_most=5):
        pass


def _row_of_another_fleet(name: str, seconds: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO shedlock VALUES"
            " (%s, timezone('utc', now()) + make_interval(secs => %s), timezone('utc', now()), 'java-1')",
            [name, seconds],
        )


@pytest.mark.parametrize("name", ["", "x" * 65])
def test_a_name_that_does_not_fit_is_refused(name):
    with pytest.raises(ValueError, match="1 to 64"):
        ShedLock(name, at_most=5)


def test_times_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match="at least"):
        ShedLock("x", at_most=1, at_least=2)
    with pytest.raises(ValueError, match="at least"):
        ShedLock("x", at_most=-1)


def test_the_times_in_the_table_are_utc_and_the_holder_fits():
    lock = _lock(at_most=60)
    handle = lock.acquire()
    found = locks.holder(lock.name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now = cursor.fetchone()[0]
    assert 50 < (found.until - now).total_seconds() <= 60
    assert found.locked_by == handle.locked_by
    assert len(found.locked_by) <= 255


def test_a_stale_release_leaves_the_successor_alone():
    lock = _lock(at_most=0.05)
    stale = lock.acquire()
    time.sleep(0.1)
    successor = ShedLock(lock.name, at_most=30).acquire()
    assert stale.release() is False
    assert ShedLock(lock.name, at_most=30).acquire() is None
    assert successor.release() is True


def test_it_does_not_take_part_in_the_callers_transaction():
    lock = _lock(at_most=0.5)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        time.sleep(0.7)  # longer than the lock: CURRENT_TIMESTAMP of this transaction is now too old
        assert lock.acquire()
        assert lock.acquire() is None
        transaction.set_rollback(True)
    assert locks.holder(lock.name) is not None


def test_a_block_keeps_the_lock_for_as_long_as_it_works():
    lock = _lock(at_most=0.4)
    with lock:
        for _ in range(8):
            time.sleep(0.1)
            assert lock.keep()
        assert ShedLock(lock.name, at_most=1).acquire() is None
    assert ShedLock(lock.name, at_most=1).acquire()


def test_a_block_that_lost_its_lock_is_told():
    lock = _lock(at_most=0.1)
    with lock:
        time.sleep(0.2)
        assert ShedLock(lock.name, at_most=9).acquire()
        assert lock.keep() is False
    assert locks.holder(lock.name).held


def test_a_broken_connection_is_made_anew():
    lock = _lock()
    handle = lock.acquire()
    _terminate_others()
    assert handle.release() is True


def test_a_lock_nobody_ever_took_has_no_holder():
    assert locks.holder("never-taken") is None


def test_eight_threads_never_work_at_the_same_time():
    """ShedLock's fuzz test: an unguarded counter that comes out wrong if two ever overlap."""
    counters = {"one": 0, "two": 0}
    names = {key: f"fuzz-{uuid.uuid4()}" for key in counters}
    failures: list[BaseException] = []

    def work(key: str, rounds: int) -> None:
        try:
            for _ in range(rounds):
                _count_once(ShedLock(names[key], at_most=300), counters, key)
        except BaseException as error:
            failures.append(error)

    plan = [("one", 5), *[("two", 25), ("one", 25)] * 3, ("two", 25)]
    threads = [threading.Thread(target=work, args=step) for step in plan]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert counters == {"one": 80, "two": 100}


def _count_once(lock: ShedLock, counters: dict[str, int], key: str) -> None:
    while (handle := lock.acquire()) is None:
        time.sleep(0.005)
    seen = counters[key]
    time.sleep(0.001)
    counters[key] = seen + 1
    handle.release()


def _terminate_others() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%shedlock%'"
        )


def test_the_database_being_away_is_an_error_and_not_a_lock(monkeypatch):
    def refuse(**_parameters: object) -> None:
        raise psycopg.OperationalError("no server")

    monkeypatch.setattr(locks.psycopg, "connect", refuse)
    with pytest.raises(psycopg.OperationalError):
        _lock().acquire()
