"""An administrator who is no superuser looks after people, and becomes, makes and takes over no superuser."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from tests.accounts import NO_SCOPES

USERS = "/admin/auth/user/"
PASSWORDS = {"password1": "one more long password", "password2": "one more long password"}


@pytest.fixture
def keeper(db) -> Client:
    """Staff with the role admin, and no superuser."""
    user = User.objects.create(username="keeper", is_staff=True)
    user.groups.add(Group.objects.get(name="admin"))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def boss(db) -> User:
    return User.objects.create(username="boss", is_staff=True, is_superuser=True)


def form(user: User, **changes) -> dict:
    """The fields that the page of an account posts."""
    kept = {name: getattr(user, name) for name in ("username", "first_name", "last_name", "email")}
    switches = {name: "on" for name in ("is_active", "is_staff", "is_superuser") if getattr(user, name)}
    moment = {
        "date_joined_0": f"{user.date_joined:%Y-%m-%d}",
        "date_joined_1": f"{user.date_joined:%H:%M:%S}",
    }
    return (
        kept | switches | moment | NO_SCOPES | {"groups": [group.pk for group in user.groups.all()]} | changes
    )


def change(client, user: User, **changes) -> int:
    return client.post(f"{USERS}{user.pk}/change/", form(user, **changes)).status_code


@pytest.mark.django_db
def test_permissions_are_right_after_the_first_migration():
    """The database of the tests was migrated once."""
    found = Group.objects.get(name="admin").permissions
    assert set(found.filter(content_type__app_label="auth").values_list("codename", flat=True)) == {
        "add_user", "change_user", "delete_user", "view_user", "view_group"
    }  # fmt: skip
    assert found.filter(codename="add_operation").exists()
    assert Group.objects.get(name="viewer").permissions.filter(codename="view_deadletter").exists()


def test_an_administrator_looks_after_people(keeper):
    answer = keeper.post(
        USERS + "add/", {"username": "bob", "usable_password": "true", **PASSWORDS, **NO_SCOPES}
    )
    bob = User.objects.get(username="bob")
    assert answer.status_code == 302
    assert change(keeper, bob, groups=[Group.objects.get(name="operator").pk], email="b@example.org") == 302
    assert list(bob.groups.values_list("name", flat=True)) == ["operator"]
    assert (
        keeper.post(f"{USERS}{bob.pk}/password/", {"usable_password": "true", **PASSWORDS}).status_code == 302
    )
    assert change(keeper, bob, is_active="") == 302


def test_no_administrator_becomes_or_makes_a_superuser(keeper, scorecard):
    own = User.objects.get(username="keeper")
    bob = User.objects.create(username="bob")
    everything = [permission.pk for permission in Permission.objects.all()]
    more = Group.objects.create(name="more")
    more.permissions.set(everything)
    attacks = [
        (who, grant)
        for who in (own, bob)
        for grant in ({"is_superuser": "on"}, {"user_permissions": everything}, {"groups": [more.pk]})
    ]
    for who, grant in attacks:
        change(keeper, who, **grant)
    keeper.post(
        USERS + "add/", {"username": "eve", "is_superuser": "on", "is_staff": "on", **PASSWORDS, **NO_SCOPES}
    )
    keeper.post(
        f"/admin/auth/group/{own.groups.get().pk}/change/", {"name": "admin", "permissions": everything}
    )
    keeper.post("/admin/auth/group/add/", {"name": "mine", "permissions": everything})
    grown = [
        user.username
        for user in User.objects.all()
        if user.is_superuser or user.user_permissions.exists() or user.has_perm("auth.delete_group")
    ]
    scorecard("admin: ways to more rights", tried=len(attacks) + 3, broke=grown)


def test_no_administrator_takes_a_superuser_over(keeper, boss, scorecard):
    away = User.objects.create(username="away", is_active=False)
    away.user_permissions.add(Permission.objects.get(codename="delete_group"))
    told = {}
    for victim in (boss, away):
        page = f"{USERS}{victim.pk}"
        told |= {
            f"password of {victim}": keeper.post(f"{page}/password/", PASSWORDS).status_code,
            f"change {victim}": change(keeper, victim, email="eve@example.org", is_active="on"),
            f"delete {victim}": keeper.post(f"{page}/delete/", {"post": "yes"}).status_code,
        }
    marked = {"action": "delete_selected", "_selected_action": [boss.pk, away.pk], "post": "yes"}
    keeper.post(USERS, marked)
    assert User.objects.filter(username__in=["boss", "away"], email="", is_superuser=True).count() == 1
    assert User.objects.filter(username="away", is_active=False).exists()
    scorecard(
        "admin: ways to more rights",
        tried=len(told) + 1,
        broke=[attack for attack, status in told.items() if status != 403],
    )


def test_a_superuser_may_do_all_of_it(admin_user_client, boss):
    bob = User.objects.create(username="bob")
    assert change(admin_user_client, bob, is_superuser="on", is_staff="on") == 302
    assert User.objects.get(username="bob").is_superuser
    assert change(admin_user_client, boss, email="b@example.org") == 302
    assert admin_user_client.get("/admin/auth/group/add/").status_code == 200
