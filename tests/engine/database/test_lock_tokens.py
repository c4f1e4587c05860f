"""The fence beside the lock: a token that rises with every acquisition, whoever takes it."""

import threading

import psycopg
import pytest
from django.db import connection

from dlqconsole.engine.database import sessions
from dlqconsole.engine.database.locks import holder
from tests.engine.database.locking import new_lock
from tests.plain_sql import execute, rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("locks_are_forgotten")]

CURRENT = "SELECT lock_token_is_current(%s, %s)"


def is_current(name: str, token: int) -> bool:
    with sessions.own_connection() as other:  # in a transaction it would keep the next holder waiting
        return other.execute(CURRENT, [name, token]).fetchone()[0]


def test_it_rises_with_every_acquisition_and_with_nothing_else():
    lock = new_lock()
    first = lock.acquire()
    extended = first.extend(30)
    assert lock.acquire() is None
    assert (first.token, extended.token) == (1, 1)
    assert extended.release()
    assert lock.acquire().token == 2


def test_an_acquisition_of_a_java_fleet_raises_it_too():
    lock = new_lock()
    ours = lock.acquire()
    assert ours.release()
    assert is_current(lock.name, ours.token)
    with sessions.own_connection() as java:
        java.execute(
            "UPDATE shedlock SET lock_until = timezone('utc', now()) + interval '9 s',"
            " locked_at = timezone('utc', now()), locked_by = 'java-1' WHERE name = %s",
            [lock.name],
        )
    assert not is_current(lock.name, ours.token)
    assert holder(lock.name).token == ours.token + 1


def test_a_java_fleet_needs_no_right_but_those_on_its_own_table():
    execute("CREATE ROLE java_fleet")
    execute("GRANT SELECT, INSERT, UPDATE ON shedlock TO java_fleet")
    execute("SET ROLE java_fleet")
    execute(
        "INSERT INTO shedlock VALUES ('test-java', timezone('utc', now()), timezone('utc', now()), 'java-1')"
    )
    execute("UPDATE shedlock SET lock_until = timezone('utc', now()) WHERE name = 'test-java'")
    execute("RESET ROLE")
    assert holder("test-java").token == 1


def test_who_shows_an_older_one_writes_nothing():
    """The holder went to sleep, its lock ran out and was taken: what it does when it wakes is refused."""
    lock = new_lock(at_most=0)
    asleep = lock.acquire()
    assert asleep is None  # a lock of no time is over before it is looked at
    stale = holder(lock.name).token
    awake = new_lock(name=lock.name).acquire()
    execute("CREATE TEMPORARY TABLE work (done int)")
    execute("INSERT INTO work VALUES (0)")
    write = "UPDATE work SET done = %s WHERE lock_token_is_current(%s, %s) RETURNING done"
    assert rows(write, 1, lock.name, awake.token) == [(1,)]
    assert rows(write, 2, lock.name, stale) == []
    assert awake.release()


def test_no_write_slips_in_behind_the_next_holder():
    """While a writer has shown its token and not yet committed, the lock is not taken."""
    lock = new_lock()
    first = lock.acquire()
    taken: list[int] = []
    with sessions.own_connection() as writer, writer.transaction():
        assert writer.execute(CURRENT, [lock.name, first.token]).fetchone() == (True,)
        assert first.extend(30).release()  # these wait for no writer
        thread = threading.Thread(target=lambda: taken.append(new_lock(name=lock.name).acquire().token))
        thread.start()
        thread.join(0.2)
        assert taken == []
    thread.join()
    assert taken == [first.token + 1]


def test_nobody_gives_himself_a_token():
    execute("CREATE ROLE an_app")
    execute("GRANT SELECT ON lock_tokens TO an_app")
    execute("SET ROLE an_app")
    with pytest.raises(Exception, match="permission denied") as refused, connection.cursor() as cursor:
        cursor.execute("UPDATE lock_tokens SET token = 99")
    assert isinstance(refused.value.__cause__, psycopg.errors.InsufficientPrivilege)
