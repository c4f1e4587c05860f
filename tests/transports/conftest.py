"""A real PGMQ in the tests' database, and its queues in one call."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import pytest
from django.db import connection

from dlqconsole.transports import attachments
from dlqconsole.transports.models import AttachedQueue
from tests.pgmq_sql import pgmq_sql
from tests.plain_sql import execute, rows, value
from tests.transports.mysql.mariadb import mariadb, mysql_transport  # noqa: F401 - fixtures
from tests.with_sample_handlers import sample_handlers, waits_are_long  # noqa: F401 - fixtures

_numbers = count(1)


@pytest.fixture(scope="session")
def pgmq(django_db_setup, django_db_blocker) -> None:
    """PGMQ as its users have it: the SQL that its own package ships, installed once."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('pgmq.meta')")
        if cursor.fetchone()[0] is None:
            cursor.execute(pgmq_sql())


@pytest.fixture
def pgmq_queue(pgmq, transactional_db) -> Iterator[str]:
    """The name of a new PGMQ queue, dropped afterwards."""
    with new_pgmq_queue() as name:
        yield name


@pytest.fixture
def attached(pgmq_queue) -> AttachedQueue:
    """A PGMQ queue that was attached: five deliveries are allowed."""
    return attachments.attach(f"pgmq:{pgmq_queue}", actor="test")


@pytest.fixture
def read_out(attached) -> Callable[..., None]:
    """read_out(6): consumers of theirs read everything six times and complete nothing."""

    def read(times: int) -> None:
        for _ in range(times):
            execute("SELECT msg_id FROM pgmq.read(%s, 0, 100000)", attached.remote_name)

    return read


@contextmanager
def new_pgmq_queue() -> Iterator[str]:
    """The name of a new PGMQ queue, dropped in the end."""
    name = f"orders{next(_numbers)}"
    execute("SELECT pgmq.create(%s)", name)
    yield name
    # once: PGMQ 1.5.0 fails on one that a test has dropped
    execute("SELECT pgmq.drop_queue(queue_name) FROM pgmq.meta WHERE queue_name = %s", name)


def on_queue(queue: AttachedQueue) -> list[int]:
    """The messages on a PGMQ queue."""
    return [row[0] for row in rows(f"SELECT msg_id FROM pgmq.q_{queue.remote_name} ORDER BY 1")]


def archived(queue: AttachedQueue) -> list[int]:
    """The messages in its archive."""
    return [row[0] for row in rows(f"SELECT msg_id FROM pgmq.a_{queue.remote_name} ORDER BY 1")]


@pytest.fixture
def revived(attached, letter):
    """revived() makes a dead letter of the attached queue and revives it, as plain SQL would; its id."""

    def revive(payload='{"order_id": 1}', event_type="order.created", **columns):
        number = letter(event_type, payload, queue=attached.name, **columns)
        assert value("SELECT dead_letter_revive(%s)", number)
        return number

    return revive


def status(number):
    return value("SELECT status FROM dlq_events WHERE id = %s", number)
