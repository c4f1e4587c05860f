"""Who is the second person: by the number of the account, since when they are one, and proved."""

from contextlib import contextmanager

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import transaction

from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import approval, controls
from dlqconsole.operations.work import run
from dlqconsole.people import tokens
from dlqconsole.people.models import PersonalToken, RoleGrant
from tests.accounts import person, token_of
from tests.operations.conftest import ask, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def threshold(settings):
    settings.DLQ_FOUR_EYES_ABOVE = 2


@pytest.fixture
def alice():
    return person("alice")


@pytest.fixture
def bob():
    return person("bob")


@pytest.fixture
def waiting(letters, alice, bob):
    """What alice asked for, and bob may approve."""
    letters(3)
    operation = ask("discard", filter={}, expected=3, actor=alice)
    work()
    return operation.pk


def account(actor):
    return User.objects.filter(pk=int(actor[5:]))


@contextmanager
def taken_back():
    """What happens in it has not happened."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def refusal(operation_id, actor, **given):
    with pytest.raises(OperationRefused) as refused:
        controls.approve(operation_id, actor, **given)
    assert Operation.objects.get(pk=operation_id).status == "awaiting"
    return str(refused.value)


def deadletters(*arguments):
    """What the command refuses with; nothing where it did as it was told."""
    try:
        call_command("deadletters", *map(str, arguments))
    except CommandError as error:
        return str(error)
    return ""


def test_a_name_makes_nobody_somebody_else(waiting, alice, bob):
    account(alice).update(username="somebody")
    assert "You asked for" in refusal(waiting, alice)
    for name in ("alice", "ALICE", "\N{FULLWIDTH LATIN SMALL LETTER A}lice", "bob "):
        newcomer = person(name)
        assert "You have not been an operator" in refusal(waiting, newcomer)
    for nobody in ("bob", "cli:bob", "user:bob", "user:0", f"{bob} ", f"0{bob}", "user:999999999"):
        refusal(waiting, nobody)
    controls.approve(waiting, bob)


def test_who_is_deleted_and_made_again_is_somebody_new(waiting, alice, bob):
    account(bob).delete()
    again = person("bob")
    assert again != bob
    assert "You have not been an operator" in refusal(waiting, again)
    assert "You have not been an operator" in refusal(waiting, bob)


def test_whoever_was_made_an_operator_later_cannot_approve_however_it_was_done(waiting, bob):
    carol = User.objects.create(username="carol")
    who = f"user:{carol.pk}"
    operators = Group.objects.get(name="operator")
    for way in (
        lambda: carol.groups.add(operators),
        lambda: User.objects.filter(pk=carol.pk).update(is_superuser=True),
        lambda: User.groups.through.objects.bulk_create(
            [User.groups.through(user_id=carol.pk, group_id=operators.pk)]
        ),
    ):
        with taken_back():
            way()
            assert "You have not been an operator" in refusal(waiting, who)
    controls.approve(waiting, bob)


def test_who_lost_the_role_meanwhile_cannot_approve_even_with_it_again(waiting, bob):
    account(bob).update(is_active=False)
    assert "You have not been an operator" in refusal(waiting, bob)
    account(bob).update(is_active=True)
    account(bob).get().groups.set([Group.objects.get(name="viewer")])
    assert "You have not been an operator" in refusal(waiting, bob)
    account(bob).get().groups.set([Group.objects.get(name="admin")])
    assert "You have not been an operator" in refusal(waiting, bob)


def test_who_got_another_password_after_the_request_cannot_approve_it(waiting, bob, alice, letters):
    """Alice, an administrator, sets it and signs in as bob."""
    their = account(bob).get()
    their.set_password("known to alice")
    their.save()
    assert "under one password" in refusal(waiting, bob)
    letters(3)
    asked_later = ask("discard", filter={}, expected=6, actor=alice)
    work()
    controls.approve(asked_later.pk, bob)


def test_the_statement_decides_by_itself_whatever_was_looked_at_before(waiting, alice, bob, monkeypatch):
    monkeypatch.setattr("dlqconsole.operations.requests.approval.why_not_approve", lambda *_: "")
    assert "too late" in refusal(waiting, person("carol"))
    assert "too late" in refusal(waiting, alice, typed_count=3)
    account(bob).update(is_active=False)
    assert "too late" in refusal(waiting, bob)


def test_nobody_is_the_only_person_for_a_minute(letters, alice, bob):
    letters(3)
    assert approval.rule(kinds.get("purge"), {}, 3) == "second"
    account(bob).update(is_active=False)
    assert approval.rule(kinds.get("purge"), {}, 3) == "second"
    operation = ask("discard", filter={}, expected=3, typed_count=3, actor=alice)
    work()
    assert "somebody else has to approve" in refusal(operation.pk, alice, typed_count=3)
    account(bob).delete()
    assert "somebody else has to approve" in refusal(operation.pk, alice, typed_count=3)


def test_after_a_day_who_is_left_is_alone(letters, alice, bob, monkeypatch):
    letters(3)
    account(bob).update(is_active=False)
    since = RoleGrant.objects.get(user_id=int(bob[5:])).until
    monkeypatch.setattr("dlqconsole.people.roles.LATELY", since - since)
    monkeypatch.setattr("dlqconsole.operations.requests.controls.LATELY", since - since)
    operation = ask("discard", filter={}, expected=3, actor=alice)
    work()
    assert "Type 3" in refusal(operation.pk, alice)
    controls.approve(operation.pk, alice, 3)


def test_without_a_token_nobody_asks_for_what_needs_approval(letters, alice, bob):
    letters(3)
    for given in ({"actor": "cli:alice"}, {"actor": "cli:root"}):
        with pytest.raises(OperationRefused, match="who asks has to prove who they are"):
            ask("discard", filter={}, expected=3, **given)
    # what turns out to be more than was expected does not wait, either
    operation = ask("discard", filter={}, expected=2, actor="cli:alice")
    work()
    operation.refresh_from_db()
    assert (operation.status, operation.done) == ("cancelled", 0)
    assert "nobody is known to have asked for it" in operation.note


def test_the_environment_makes_nobody_of_a_shell_somebody(waiting, monkeypatch):
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME", "SUDO_USER"):
        monkeypatch.setenv(name, "bob")
    assert "An approval needs your identity" in deadletters("approve", waiting)
    assert "prove who they are" in deadletters("purge", "--all", "--because", "x")
    assert deadletters("refuse", waiting) == ""
    assert "bob" not in AuditEntry.objects.get(action="refuse").actor


def test_the_token_of_a_second_person_approves_and_the_audit_says_which(
    waiting, alice, bob, settings, capsys
):
    settings.DLQ_TOKEN = token_of(alice)
    assert "You asked for" in deadletters("approve", waiting)
    assert "You asked for" in deadletters("approve", waiting, "--typed-count", 3)
    settings.DLQ_TOKEN = token_of(bob)
    assert deadletters("approve", waiting) == ""
    entry = AuditEntry.objects.get(action="approve")
    number = PersonalToken.objects.get(user_id=int(bob[5:])).pk
    assert (entry.actor, entry.detail["token"]) == (bob, number)
    used = AuditEntry.objects.filter(action="use token").order_by("-id")[0]
    assert (used.actor, used.target) == (bob, f"token:{number}")
    assert used.detail["command"] == "deadletters approve"
    assert used.detail["machine"].startswith("cli:")
    # what was approved is approved once
    assert "does not wait for approval" in deadletters("approve", waiting)


def test_a_token_that_somebody_with_a_shell_made_neither_approves_nor_asks(waiting, alice, bob, settings):
    settings.DLQ_TOKEN = token_of(bob, made_by="cli:root")
    assert "made on the command line by cli:root: it approves nothing" in deadletters("approve", waiting)
    assert "has to prove who they are" in deadletters("purge", "--all", "--because", "x")
    settings.DLQ_TOKEN = token_of(bob, made_by=alice)
    assert "it approves nothing" in deadletters("approve", waiting)


def test_a_token_of_spaces_ends_the_command(waiting, settings):
    settings.DLQ_TOKEN = "  "
    assert "DLQ_TOKEN is only spaces" in deadletters("refuse", waiting)
    assert not AuditEntry.objects.filter(action="refuse").exists()


def test_a_token_does_no_more_than_its_person(waiting, alice, bob, settings):
    def with_token(text):
        settings.DLQ_TOKEN = text
        return deadletters("approve", waiting)

    text = token_of(bob)
    assert "is viewer and no operator" in with_token(token_of(person("vera", "viewer")))
    account(bob).update(is_active=False)
    assert "has no role here" in with_token(text)
    account(bob).update(is_active=True)
    PersonalToken.objects.update(expires_at="2026-01-01T00:00Z")
    assert "expired on 2026-01-01" in with_token(text)
    PersonalToken.objects.update(expires_at="2100-01-01T00:00Z")
    token = PersonalToken.objects.get(user_id=int(bob[5:]))
    assert tokens.revoke(token, bob)
    assert not tokens.revoke(token, bob)
    assert "was revoked" in with_token(text)
    assert "not known here" in with_token(text + "x")
    assert "not known here" in with_token(token.sha256)
    assert Operation.objects.get(pk=waiting).status == "awaiting"


def test_two_who_approve_at_once_approve_it_once(waiting, bob, alice):
    run.take_up(1)
    controls.approve(waiting, bob)
    with pytest.raises(OperationRefused, match="does not wait for approval"):
        controls.approve(waiting, bob)
    with pytest.raises(OperationRefused, match="does not wait for approval"):
        controls.refuse(waiting, bob)
    assert AuditEntry.objects.filter(action="approve").count() == 1
