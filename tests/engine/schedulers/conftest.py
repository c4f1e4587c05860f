"""A scheduler of another program: roles as manage.py grants makes them, and what it says in SQL."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tests.security.database_roles import Roles

INSERT = """
    INSERT INTO dlq_events (event_type, payload, error_reason, error_stacktrace, status, retry_count,
        retry_after, created_at, updated_at)
    VALUES (%(event_type)s, %(payload)s, %(reason)s, 'at com.shop.Orders.charge(Orders.java:12)', 'PENDING',
        0, now(), now(), now())
"""
ORDER = {
    "event_type": "order.created",
    "payload": '{"card": "4111-1111"}',
    "reason": "java.net.ConnectException: Connection refused",
}


@pytest.fixture
def world(emptied: Roles) -> Roles:
    """The database of the roles, with nothing in it."""
    emptied.owner().execute("TRUNCATE breakers, retry_policies, retry_settings, shedlock")
    return emptied


@pytest.fixture
def scheduler(world: Roles) -> psycopg.Connection:
    """A session of the role dlq_scheduler, as a program names it."""
    link = world.connect("scheduler")
    link.execute("SET application_name = 'retry-job'")
    return link


@pytest.fixture
def report(world: Roles) -> Callable[..., int]:
    """report(reason="…") stores one failure as its service does; the number of its dead letter."""

    def store(**given: Any) -> int:
        row = world.connect("scheduler").execute(INSERT + " RETURNING id", ORDER | given).fetchone()
        return int(row[0])

    return store


@pytest.fixture
def row_of(world: Roles) -> Callable[[int, str], tuple[Any, ...]]:
    """row_of(1, "status, retry_count") reads columns of a dead letter."""

    def read(number: int, columns: str) -> tuple[Any, ...]:
        return world.owner().execute(f"SELECT {columns} FROM dlq_events WHERE id = %s", [number]).fetchone()

    return read


@pytest.fixture
def told(world: Roles) -> Callable[[int], list[tuple[str, str, str]]]:
    """told(1): its attempts, each with who made it, how it ended and why."""

    def read(number: int) -> list[tuple[str, str, str]]:
        rows = world.owner().execute(
            "SELECT replace(worker, %s, ''), outcome, error_reason FROM dlq_attempts WHERE dlq_event_id = %s"
            " ORDER BY id",
            [world.prefix, number],
        )
        return rows.fetchall()

    return read


def refusal(link: psycopg.Connection, statement: str, values: Any = None) -> psycopg.errors.Diagnostic:
    """What the database says to a statement that it refuses."""
    with pytest.raises(psycopg.Error) as caught:
        link.execute(statement, values)
    return caught.value.diag


def everything_said(diag: psycopg.errors.Diagnostic) -> str:
    """All the texts of an error, its details and its context included."""
    return " ".join(
        str(getattr(diag, name)) for name in dir(diag) if name.startswith(("message", "context", "internal"))
    )
