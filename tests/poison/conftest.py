"""A world for each kind of poison, one such row among healthy ones; and a crowd, with all kinds at once.

What acts on rows may take them together and fall back when one spoils it, so each kind has a world of its
own. What only shows them has no such way: one crowd tells as much, and each check names the kind.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dlqconsole.operations.kinds import revive
from dlqconsole.operations.requests import service
from dlqconsole.operations.work import run
from tests.conftest import signed_in
from tests.plain_sql import column, execute
from tests.poison.kinds import KINDS, Kind
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

REASON = "Refused: billing said no"
HEALTHY, CROWD = 19, 40


@dataclass(frozen=True)
class World:
    """The rows and the people. ``poison`` is the newest dead letter but nine."""

    kind: Kind
    healthy: set[int]
    poison: int
    operator: Client
    admin: Client

    @property
    def everyone(self) -> set[int]:
        return self.healthy | {self.poison}


@dataclass(frozen=True)
class Crowd:
    """A poison row of each kind, by the kind's name; nine healthy dead letters are newer."""

    healthy: set[int]
    poisons: dict[str, int]
    operator: Client
    admin: Client

    @property
    def everyone(self) -> set[int]:
        return self.healthy | set(self.poisons.values())


@pytest.fixture(scope="module")
def committed_crowd(django_db_setup, test_database, django_db_blocker) -> Iterator[Crowd]:
    """Committed as below."""
    with django_db_blocker.unblock():
        before = _healthy(CROWD - 9)
        poisons = {name: insert(**kind.columns) for name, kind in KINDS.items()}
        crowd = Crowd(before | _healthy(9), poisons, signed_in("operator"), _administrator())
        yield crowd
        test_database.restore()


@pytest.fixture
def crowd(committed_crowd, db) -> Crowd:
    """The crowd in a transaction of the test's own."""
    return committed_crowd


@pytest.fixture(scope="module", params=list(KINDS))
def committed(request, django_db_setup, test_database, django_db_blocker) -> Iterator[World]:
    """One world of each kind, committed: exports and workers have connections of their own."""
    with django_db_blocker.unblock():
        kind = KINDS[request.param]
        before = _healthy(HEALTHY - 9)
        poison = insert(**kind.columns)
        yield World(kind, before | _healthy(9), poison, signed_in("operator"), _administrator())
        test_database.restore()


@pytest.fixture
def world(committed, db, monkeypatch) -> World:
    """The world in a transaction of the test's own: what it does is undone when it ends."""
    monkeypatch.setattr(revive, "USUAL_UNDO", 0)  # what is revived may be consumed at once
    monkeypatch.setattr(service, "wake", lambda operation_id: None)
    monkeypatch.setattr(run, "wake", lambda operation_id: None)
    return committed


def insert(**columns: Any) -> int:
    """Insert a dead letter as a plain SQL client would; its id."""
    values = {
        "event_type": "order.created",
        "payload": '{"order_id": 1}',
        "error_reason": REASON,
        "error_category": "TRANSIENT",
    } | columns
    names, places = ", ".join(values), ", ".join(["%s"] * len(values))
    (found,) = column(f"INSERT INTO dlq_events ({names}) VALUES ({places}) RETURNING id", *values.values())
    return found


def _healthy(number: int) -> set[int]:
    return {insert() for _ in range(number)}


def _administrator() -> Client:
    client = signed_in("admin")
    execute("UPDATE auth_user SET is_staff = true, is_superuser = true WHERE username = 'admin'")
    # rights that have changed end a session
    client.force_login(User.objects.get(username="admin"))
    return client
