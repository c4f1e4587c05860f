"""What all tests share: the cast of three with their administrator, and dead letters in one call."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Let Django empty the tables between tests: the audit log refuses TRUNCATE, as it should.

    tests/engine/test_audit_log.py turns the refusal on again to try it.
    """
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_log DISABLE TRIGGER audit_log_refuse_truncate")


def signed_in(role: str) -> Client:
    """A client of a new person with that role; "stranger" has none."""
    user = User.objects.create(username=role)
    if role != "stranger":
        user.groups.add(Group.objects.get(name=role))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def viewer(db) -> Client:
    return signed_in("viewer")


@pytest.fixture
def operator(db) -> Client:
    return signed_in("operator")


@pytest.fixture
def stranger(db) -> Client:
    return signed_in("stranger")


@pytest.fixture
def admin_user_client(db) -> Client:
    """An administrator, who may open Django's admin too."""
    client = signed_in("admin")
    User.objects.filter(username="admin").update(is_staff=True, is_superuser=True)
    return client


@pytest.fixture
def letter(db) -> Callable[..., int]:
    """letter(status="EXHAUSTED") inserts a dead letter as a plain SQL client would; its id."""

    def insert(event_type: str = "order.created", payload: Any = None, **columns: Any) -> int:
        values = {"error_reason": "Refused: billing said no", "error_category": "TRANSIENT"} | columns
        # text is taken as the JSON itself; raw bytes stand alone
        text = payload if isinstance(payload, str) else json.dumps(payload or {"order_id": 1})
        values["payload"] = None if "payload_raw" in values else text
        names = ", ".join(["event_type", *values])
        places = ", ".join(["%s"] * (len(values) + 1))
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO dlq_events ({names}) VALUES ({places}) RETURNING id",
                [event_type, *values.values()],
            )
            return cursor.fetchone()[0]

    return insert
