"""Since when somebody has a role, and what they were called: whoever changes Django's tables, and however."""

import pytest
from django.contrib.auth.models import Group, User
from django.db import DatabaseError, transaction

from dlqconsole.people.models import AccountName, RoleGrant
from dlqconsole.people.names import named
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db


def roles(user):
    """The roles of a person, those that are over with a minus."""
    rows = RoleGrant.objects.filter(user_id=user.pk).order_by("id")
    return [("-" if row.until else "") + row.role for row in rows]


@pytest.fixture
def bob():
    return User.objects.create(username="bob")


@pytest.fixture
def operators():
    return Group.objects.get(name="operator")


def test_a_role_begins_and_ends_with_the_membership(bob, operators):
    assert roles(bob) == []
    bob.groups.add(operators)
    assert roles(bob) == ["operator"]
    bob.groups.clear()
    bob.groups.add(operators)
    assert roles(bob) == ["-operator", "operator"]
    first, second = RoleGrant.objects.filter(user_id=bob.pk).order_by("id")
    assert first.since < first.until < second.since


def test_a_bulk_update_that_no_signal_sees_is_seen(bob):
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    assert roles(bob) == ["superuser"]
    User.objects.all().update(is_active=False)
    assert roles(bob) == ["-superuser"]
    User.objects.all().update(is_active=True)
    assert roles(bob) == ["-superuser", "superuser"]


def test_signing_in_changes_nothing(bob, operators):
    bob.groups.add(operators)
    User.objects.update(last_login="2026-01-01T00:00Z")
    assert roles(bob) == ["operator"]


def test_a_group_that_becomes_a_role_makes_its_members_what_they_were_not(bob):
    bob.groups.add(Group.objects.create(name="lunch"))
    Group.objects.filter(name="admin").update(name="was-admin")
    Group.objects.filter(name="lunch").update(name="admin")
    assert roles(bob) == ["admin"]
    Group.objects.filter(name="admin").delete()
    assert roles(bob) == ["-admin"]


def test_who_is_deleted_had_it_until_then(bob, operators):
    bob.groups.add(operators)
    number = bob.pk
    bob.delete()
    assert [row.until is not None for row in RoleGrant.objects.filter(user_id=number)] == [True]
    again = User.objects.create(username="bob")
    assert again.pk != number
    assert roles(again) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {} SET since = '2020-01-01'",
        "UPDATE {} SET user_id = 0",
        "UPDATE {} SET until = NULL",
        "DELETE FROM {}",
    ],
)
@pytest.mark.parametrize("table", ["role_grants", "account_names"])
def test_history_only_grows(bob, operators, table, statement):
    bob.groups.add(operators)
    with pytest.raises(DatabaseError, match="only grows"), transaction.atomic():
        execute(statement.format(table))


def test_nobody_writes_that_they_have_had_a_role_for_long(bob):
    execute("INSERT INTO role_grants (user_id, role, since) VALUES (%s, 'admin', '2020-01-01')", bob.pk)
    execute("SELECT statement_timestamp()")
    assert RoleGrant.objects.get(user_id=bob.pk).since.year > 2020


@pytest.mark.parametrize("table", ["auth_user", "auth_user_groups", "auth_group"])
def test_their_functions_are_of_no_use_on_another_table(table):
    execute(
        "CREATE TEMP TABLE bait"
        " (id integer, username text, is_superuser bool, is_active bool, user_id integer)"
    )
    execute(
        f"CREATE TRIGGER t AFTER INSERT ON bait REFERENCING NEW TABLE AS came"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {table}_noted()"
    )
    with pytest.raises(DatabaseError, match=f"is for {table}"), transaction.atomic():
        execute("INSERT INTO bait VALUES (1, 'x', true, true, 1)")


def test_a_person_is_called_by_name_and_by_number_where_names_do_not_tell(bob):
    assert named(f"user:{bob.pk}") == "bob"
    assert named(f"asked for by user:{bob.pk}, cli:bob") == "asked for by bob, cli:bob"
    # full-width letters: NFKC makes them the same
    wide = "\N{FULLWIDTH LATIN CAPITAL LETTER B}OB"
    other = User.objects.create(username=wide)
    assert named(f"user:{bob.pk}") == f"bob (user {bob.pk})"
    assert named(f"user:{other.pk}") == f"{wide} (user {other.pk})"
    assert named("user:999999") == "user:999999"


def test_a_look_alike_of_another_alphabet_shows_its_number():
    looks_like_bob = "b\N{CYRILLIC SMALL LETTER O}b"
    cyrillic = User.objects.create(username=looks_like_bob)
    assert named(f"user:{cyrillic.pk}") == f"{looks_like_bob} (user {cyrillic.pk})"
    chinese = User.objects.create(username="小明")
    assert named(f"user:{chinese.pk}") == "小明"


def test_a_renamed_and_a_deleted_person_stay_who_they_were(bob):
    User.objects.filter(pk=bob.pk).update(username="rob")
    number = bob.pk
    assert named(f"user:{number}") == f"rob (user {number}, before: bob)"
    User.objects.get(pk=number).delete()
    assert named(f"user:{number}") == f"rob (user {number}, before: bob, deleted)"
    again = User.objects.create(username="bob")
    assert named(f"user:{again.pk}") == f"bob (user {again.pk})"
    assert list(AccountName.objects.filter(user_id=number).values_list("name", flat=True)) == ["bob", "rob"]


def test_the_names_are_read_once_a_request(operator, django_assert_max_num_queries):
    with django_assert_max_num_queries(30) as queries:
        assert operator.get("/audit/").status_code == 200
    assert sum("account_names" in query["sql"] for query in queries) <= 1
