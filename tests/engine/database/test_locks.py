"""What ShedLock's contract leaves open: names, times, broken connections, stale holders, other fleets."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest
from django.db import connection, transaction

from dlqconsole.engine.database import sessions
from dlqconsole.engine.database.locks import ShedLock, holder, session
from dlqconsole.engine.database.locks.session import LockSession, utc_now
from tests.engine.database.locking import new_lock
from tests.plain_sql import execute, rows
from tests.waiting import eventually

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("locks_are_forgotten")]


def test_a_lock_nobody_ever_took_has_no_holder():
    assert holder("never-taken") is None


@pytest.mark.parametrize("name", ["", "x" * 65])
def test_a_name_that_does_not_fit_is_refused(name):
    with pytest.raises(ValueError, match="1 to 64"):
        ShedLock(name, at_most=5)


def test_times_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match="at least"):
        ShedLock("x", at_most=1, at_least=2)
    with pytest.raises(ValueError, match="at least"):
        ShedLock("x", at_most=-1)


@pytest.mark.usefixtures("mode", "locks_are_forgotten")
def test_the_times_in_the_table_are_utc_and_the_holder_fits():
    lock = new_lock(at_most=60)
    handle = lock.acquire()
    found = holder(lock.name)
    [[now]] = rows("SELECT clock_timestamp()")
    assert 50 < (found.until - now).total_seconds() <= 60
    assert found.locked_by == handle.locked_by
    assert len(found.locked_by) <= 255
    assert (found.token, abs(found.clock_drift) < 5) == (handle.token, True)


def test_a_stale_release_leaves_the_successor_alone():
    lock = new_lock(at_most=0.3)
    stale = lock.acquire()
    time.sleep(0.4)
    successor = new_lock(name=lock.name).acquire()
    assert stale.release() is False
    assert new_lock(name=lock.name).acquire() is None
    assert successor.release() is True


def test_it_does_not_take_part_in_the_callers_transaction():
    lock = new_lock(at_most=0.3)
    with transaction.atomic():
        execute("SELECT 1")
        time.sleep(0.4)  # longer than the lock: CURRENT_TIMESTAMP of this transaction is now too old
        assert lock.acquire()
        assert lock.acquire() is None
        transaction.set_rollback(True)
    assert holder(lock.name) is not None


def test_a_broken_connection_is_made_anew():
    lock = new_lock()
    handle = lock.acquire()
    _terminate_others()
    handle = handle.extend(60)
    _terminate_others()
    assert handle.release() is True


def test_an_acquisition_whose_answer_was_lost_is_ours(monkeypatch):
    lock = new_lock()
    monkeypatch.setattr(LockSession, "changes", _with_lost_answer(LockSession.changes))
    handle = lock.acquire()
    assert handle is not None
    assert holder(lock.name).locked_by == handle.locked_by
    monkeypatch.undo()
    assert new_lock(name=lock.name).acquire() is None
    assert handle.release()


@pytest.mark.parametrize("error", [psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected])
def test_who_always_meets_somebody_else_has_no_lock_and_no_error(monkeypatch, error):
    handle, other = new_lock().acquire(), new_lock().acquire()

    def meets(*_of: object) -> bool:
        raise error("somebody else was here")

    monkeypatch.setattr(LockSession, "changes", meets)
    assert new_lock().acquire() is None
    assert handle.extend(5) is None
    assert other.release() is False


def test_an_extension_that_meets_somebody_once_is_tried_again(monkeypatch):
    handle = new_lock().acquire()
    changes, met = LockSession.changes, []

    def meets_once(*of: object) -> bool:
        if not met:
            met.append(of)
            raise psycopg.errors.SerializationFailure("somebody else was here")
        return changes(*of)

    monkeypatch.setattr(LockSession, "changes", meets_once)
    assert handle.extend(5).release()
    assert met


@pytest.mark.parametrize("mode", ["database time, SERIALIZABLE"], indirect=True)
def test_at_serializable_a_row_that_changes_under_a_statement_is_no_error(mode):
    lock = new_lock()
    handle = lock.acquire()
    assert _while_the_row_changes(lock.name, lock.acquire) is None
    extended = _while_the_row_changes(lock.name, lambda: handle.extend(30))
    assert extended.token == handle.token
    assert _while_the_row_changes(lock.name, extended.release) is True


def test_the_database_being_away_is_an_error_and_not_a_lock(monkeypatch):
    handle, other = new_lock().acquire(), new_lock().acquire()

    def refuse(**_parameters: object) -> None:
        raise psycopg.OperationalError("no server")

    monkeypatch.setattr(session.sessions, "own_connection", refuse)
    with pytest.raises(psycopg.OperationalError):
        new_lock().acquire()
    _terminate_others()
    assert handle.extend(5) is None
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    assert other.release() is False  # it runs out by itself


def test_a_row_that_somebody_keeps_locked_is_not_waited_for_longer_than_a_lock_lasts(monkeypatch):
    lock = new_lock()
    lock.acquire().release()
    opened = session._open

    def impatient() -> psycopg.Connection:
        own = opened()
        assert own.execute("SHOW lock_timeout").fetchone() == ("5s",)
        own.execute("SET lock_timeout = '50ms'")
        return own

    monkeypatch.setattr(session, "_open", impatient)
    with sessions.own_connection() as other, other.transaction():
        other.execute("SELECT FROM shedlock WHERE name = %s FOR UPDATE", [lock.name])
        assert lock.acquire() is None
    assert lock.acquire()


def test_by_client_time_a_peer_whose_clock_is_fast_takes_a_lock_that_is_held(settings):
    """Why fleets use database time: the holder is told only at its next extension."""
    settings.DLQ_LOCK_TIME = "client"
    lock = new_lock()
    ours = lock.acquire()
    fast = new_lock(name=lock.name, clock=_ten_minutes_fast).acquire()
    assert fast is not None
    assert ours.extend(30) is None
    assert fast.token == ours.token + 1
    assert holder(lock.name).clock_drift == pytest.approx(600, abs=5)
    assert fast.release()


def test_by_client_time_a_peer_whose_clock_is_slow_holds_nothing(settings):
    settings.DLQ_LOCK_TIME = "client"
    lock = new_lock(clock=lambda: utc_now() - timedelta(minutes=10))
    assert lock.acquire()
    assert not holder(lock.name).held
    assert new_lock(name=lock.name).acquire()


def test_by_database_time_no_clock_of_ours_is_asked():
    lock = new_lock()
    ours = lock.acquire()
    assert new_lock(name=lock.name, clock=_ten_minutes_fast).acquire() is None
    assert holder(lock.name).clock_drift == 0
    assert ours.release()


def _while_the_row_changes(name: str, step: Callable[[], object]) -> object:
    """What a step gives that waits for the row, which somebody changes and commits meanwhile."""
    with ThreadPoolExecutor(1) as thread:
        with sessions.own_connection() as other, other.transaction():
            other.execute("UPDATE shedlock SET lock_until = lock_until WHERE name = %s", [name])
            given = thread.submit(step)
            eventually(lambda: rows("SELECT 1 FROM pg_locks WHERE NOT granted"))
        return given.result(10)


def _ten_minutes_fast():
    return utc_now() + timedelta(minutes=10)


def _with_lost_answer(changes):
    """The statement is executed and committed, and then the line breaks."""

    def lost(of: LockSession, *statement: object) -> bool:
        changes(of, *statement)
        of.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    return lost


def _terminate_others() -> None:
    execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ~ 'shedlock|lock_timeout'"
    )
    connection.ensure_connection()
