"""What the tests of locks share."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from dlqconsole.engine.database.locks import ShedLock
from tests.plain_sql import execute

MODES = {
    "database time": ("database", False),
    "client time": ("client", False),
    "database time, SERIALIZABLE": ("database", True),
    "client time, SERIALIZABLE": ("client", True),
}


def new_lock(at_most: float = 30.0, at_least: float = 0.0, name: str = "", **more: Any) -> ShedLock:
    """A lock that nobody else has, unless it is named."""
    return ShedLock(name or f"test-{uuid.uuid4()}", at_most=at_most, at_least=at_least, **more)


@pytest.fixture(params=MODES, ids=str)
def mode(request, settings) -> Iterator[str]:
    """Each of the ways in turn: whose time, and how strictly PostgreSQL isolates what runs at once."""
    settings.DLQ_LOCK_TIME, serializable = MODES[request.param]
    options = connection.settings_dict["OPTIONS"]
    before = dict(options)
    if serializable:
        options["options"] = "-c default_transaction_isolation=serializable"
    yield request.param
    options.clear()
    options.update(before)


@pytest.fixture(scope="module")
def locks_are_forgotten(django_db_setup, django_db_blocker) -> Iterator[None]:
    """A lock's own connection commits: no test's rollback takes that back."""
    yield
    with django_db_blocker.unblock():
        execute("DELETE FROM shedlock WHERE name LIKE 'test-%'")
        execute("DELETE FROM lock_tokens WHERE name LIKE 'test-%'")
        connection.close()
