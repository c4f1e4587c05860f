"""Each change of an account, role or permission stands in the audit log, whoever makes it, and however."""

import json

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import DatabaseError, connection, transaction

from dlqconsole.console.audit.words import sentence
from dlqconsole.engine.models import AuditEntry
from dlqconsole.people.actors import acting_as
from tests.accounts import NO_SCOPES
from tests.plain_sql import value

pytestmark = pytest.mark.usefixtures("audited_accounts")


def run(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def role() -> str:
    return value("SELECT 'sql:' || session_user")


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("bob", email="bob@example.org", password="a long password of bob's")


@pytest.fixture
def said(bob):
    """What the log has said since it was asked last: action, target, and its words."""
    seen = AuditEntry.objects.order_by("-pk").first().pk

    def ask() -> list[tuple[str, str, str]]:
        nonlocal seen
        rows = list(AuditEntry.objects.filter(pk__gt=seen).order_by("pk"))
        seen = rows[-1].pk if rows else seen
        return [(row.action, row.target, sentence(row)) for row in rows]

    return ask


def test_who_made_an_account_and_what_it_may(bob):
    entry = AuditEntry.objects.get(target=f"account:{bob.pk}")
    assert (entry.actor, entry.action) == (role(), "create")
    assert sentence(entry) == "bob: made"
    User.objects.create_superuser("eve")
    made = AuditEntry.objects.order_by("-pk").first()
    assert sentence(made) == "eve: made, staff, superuser"


def test_every_change_is_there_and_no_private_value(bob, said):
    target = f"account:{bob.pk}"
    User.objects.filter(pk=bob.pk).update(is_superuser=True, is_staff=True)
    bob.set_password("another long password")
    bob.save(update_fields=["password"])
    run("UPDATE auth_user SET email = 'eve@example.org', first_name = 'Eve', username = 'rob'")
    User.objects.update(last_login="2026-01-01T00:00Z")
    assert said() == [
        ("change", target, "bob: is staff no → yes; is superuser no → yes"),
        ("change password", target, "bob: another password"),
        ("change", target, "rob: username bob → rob; also email, first name"),
    ]
    User.objects.filter(pk=bob.pk).update(is_active=False)
    bob.delete()
    assert said() == [("change", target, "rob: is active yes → no"), ("delete", target, "rob: deleted")]
    everything = json.dumps(list(AuditEntry.objects.values_list("detail", flat=True)))
    assert "example.org" not in everything
    assert "pbkdf2" not in everything
    assert "argon2" not in everything


def test_roles_of_people_and_rights_of_roles(bob, said):
    operators = Group.objects.get(name="operator")
    right = Permission.objects.get(codename="view_user")
    bob.groups.add(operators)
    run("UPDATE auth_user_groups SET group_id = (SELECT id FROM auth_group WHERE name = 'admin')")
    bob.groups.clear()
    bob.user_permissions.add(right)
    operators.permissions.add(right)
    operators.permissions.remove(right)
    target, role_target = f"account:{bob.pk}", f"role:{operators.pk}"
    assert said() == [
        ("join role", target, "bob is operator now"),
        ("leave role", target, "bob is not operator any more"),
        ("join role", target, "bob is admin now"),
        ("leave role", target, "bob is not admin any more"),
        ("grant", target, "may now: auth.view_user"),
        ("grant", role_target, "may now: auth.view_user"),
        ("revoke", role_target, "may no longer: auth.view_user"),
    ]
    made = Group.objects.create(name="night shift")
    Group.objects.filter(pk=made.pk).update(name="admins")
    made.delete()
    assert [words for _, _, words in said()] == [
        "night shift: made",
        "admins: name night shift → admins",
        "admins: deleted",
    ]


def test_one_number_for_another_is_one_account_gone_and_one_made(bob, said):
    run(f"UPDATE auth_user SET id = {bob.pk + 1000} WHERE id = {bob.pk}")
    assert [(action, target) for action, target, _ in said()] == [
        ("delete", f"account:{bob.pk}"),
        ("create", f"account:{bob.pk + 1000}"),
    ]


def test_emptied_tables_are_there_too(bob, said):
    run("TRUNCATE auth_user_user_permissions", "TRUNCATE auth_group_permissions", "TRUNCATE auth_user_groups")
    tables = ["auth_user_user_permissions", "auth_group_permissions", "auth_user_groups"]
    assert [(action, target) for action, target, _ in said()] == [
        ("truncate", f"table:{name}") for name in tables
    ]


def test_a_replication_role_is_seen_as_well(bob, said):
    run("SET LOCAL session_replication_role = replica", "UPDATE auth_user SET is_superuser = true")
    assert [action for action, _, _ in said()] == ["change"]


def test_the_acting_person_is_named_and_only_while_they_act(bob):
    with acting_as("user:77"):
        User.objects.update(is_staff=True)
        with acting_as("user:78"):
            User.objects.update(is_staff=False)
        User.objects.update(is_staff=True)
    User.objects.update(is_staff=False)
    actors = AuditEntry.objects.filter(action="change").order_by("pk").values_list("actor", flat=True)
    assert list(actors) == ["user:77", "user:78", "user:77", role()]


def test_what_an_administrator_does_in_the_admin_is_theirs(bob, said, admin_user_client):
    admin = User.objects.get(username="admin")
    said()
    form = {"username": "bob", "date_joined_0": "2026-01-01", "date_joined_1": "00:00", "is_active": "on"}
    form |= NO_SCOPES
    posted = admin_user_client.post(f"/admin/auth/user/{bob.pk}/change/", form | {"is_superuser": "on"})
    assert posted.status_code == 302, posted.context["errors"]
    change = AuditEntry.objects.filter(target=f"account:{bob.pk}", action="change").get()
    assert change.actor == f"user:{admin.pk}"
    assert change.detail["changes"] == {"is_superuser": [False, True]}


def test_an_error_in_the_admin_leaves_neither_change_nor_entry(bob, said, admin_user_client, monkeypatch):
    said()
    monkeypatch.setattr("django.contrib.auth.admin.UserAdmin.log_change", lambda *_: 1 / 0)
    form = {"username": "eve", "date_joined_0": "2026-01-01", "date_joined_1": "00:00", "is_active": "on"}
    form |= NO_SCOPES
    with pytest.raises(ZeroDivisionError):
        admin_user_client.post(f"/admin/auth/user/{bob.pk}/change/", form)
    assert said() == []
    assert User.objects.filter(username="bob").exists()


@pytest.mark.parametrize("name", ["auth_user_audited", "auth_group_audited", "auth_permissions_audited"])
def test_the_functions_are_of_no_use_on_a_table_of_ones_own(name):
    run("CREATE TEMP TABLE auth_user (LIKE public.auth_user)")
    with pytest.raises(DatabaseError, match=f"{name}\\(\\) is for"), transaction.atomic():
        run(
            f"CREATE TRIGGER mine AFTER TRUNCATE ON pg_temp.auth_user EXECUTE FUNCTION public.{name}()",
            "TRUNCATE pg_temp.auth_user",
        )
