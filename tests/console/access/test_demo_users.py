"""The demo's people, and the groups that make them what they are."""

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import connection

from dlqconsole.configuration.demo_environment import DATABASE_MARK
from tests.plain_sql import execute


@pytest.fixture(autouse=True)
def quick(db, settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def of_the_demo(db):
    """This database says, for as long as the test runs, that the demo made it."""
    name = connection.settings_dict["NAME"]
    execute(f"COMMENT ON DATABASE \"{name}\" IS '{DATABASE_MARK}'")


def test_accounts_of_another_database_are_left_alone(monkeypatch):
    """As they were promoted once in whatever DATABASE_URL named."""
    monkeypatch.setenv("DLQ_DEMO_PASSWORD", "first password")
    theirs = User.objects.create_user("admin", password="their own password")
    with pytest.raises(CommandError, match="was not made by make demo: its accounts are left alone"):
        call_command("ensure_demo_users", verbosity=0)
    theirs.refresh_from_db()
    assert not theirs.is_superuser
    assert theirs.check_password("their own password")
    assert User.objects.count() == 1


def test_people_of_the_demo_can_sign_in_as_what_they_are_called(of_the_demo, client, monkeypatch):
    monkeypatch.setenv("DLQ_DEMO_PASSWORD", "first password")
    call_command("ensure_demo_users", verbosity=0)
    monkeypatch.setenv("DLQ_DEMO_PASSWORD", "second password")
    call_command("ensure_demo_users", verbosity=0)
    assert User.objects.count() == 4
    for role in ("viewer", "operator", "maintainer", "admin"):
        assert client.login(username=role, password="second password")
        assert client.get("/").context["role"] == role
    assert User.objects.get(is_superuser=True).username == "admin"


def test_password_is_not_made_up(monkeypatch):
    monkeypatch.delenv("DLQ_DEMO_PASSWORD", raising=False)
    with pytest.raises(CommandError, match="DLQ_DEMO_PASSWORD"):
        call_command("ensure_demo_users")


def test_session_survives_a_second_start(of_the_demo, client, monkeypatch):
    monkeypatch.setenv("DLQ_DEMO_PASSWORD", "same password")
    call_command("ensure_demo_users", verbosity=0)
    client.login(username="viewer", password="same password")
    call_command("ensure_demo_users", verbosity=0)
    assert client.get("/").status_code == 200


def test_viewers_may_only_view():
    rights = Group.objects.get(name="viewer").permissions.values_list("codename", flat=True)
    assert rights
    assert all(right.startswith("view_") for right in rights)
    assert Group.objects.get(name="operator").permissions.filter(codename="add_operation").exists()
