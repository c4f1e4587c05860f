"""The person behind a playbook: it may what they may, sees what they see, and they do not approve it."""

import pytest
from django.contrib.auth.models import Group, User

from dlqconsole.contrib.playbooks import tick
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.requests import approval, controls
from dlqconsole.people.models import Scope
from dlqconsole.people.names import named
from tests.accounts import person
from tests.contrib.playbooks.conftest import made, operations, story, was_away
from tests.operations.conftest import statuses, work

pytestmark = pytest.mark.django_db
# a worker commits what it does
at_work = pytest.mark.django_db(transaction=True)


def account(actor):
    return User.objects.get(pk=actor.removeprefix("user:"))


@pytest.mark.parametrize("lost", ["role", "switched off", "viewer only", "deleted"])
def test_who_may_no_longer_change_things_has_no_playbook_that_does(letters, ann, lost):
    letters(1)
    row = made(ann)
    was_away()
    if lost == "switched off":
        User.objects.filter(pk=account(ann).pk).update(is_active=False)
    elif lost == "deleted":
        account(ann).delete()
    else:
        account(ann).groups.set(Group.objects.filter(name="viewer") if lost == "viewer only" else [])
    for _each in range(2):
        tick.tick()
    assert operations() == []
    row.refresh_from_db()
    assert row.look.startswith(f"It acts for {ann}, who ")
    assert named(row.look).startswith("It acts for ann")
    assert ("is viewer now" if lost == "viewer only" else "has no role here any more") in row.look
    assert [outcome for outcome, _why in story(row)] == ["stopped"]


@at_work
def test_a_scope_that_was_added_binds_it_at_once(letters, ann):
    letters(2, queue="orders.new")
    letters(3, queue="billing")
    made(ann, trigger="every", trigger_options={"minutes": 5})
    Playbook.objects.update(next_at="2020-01-01T00:00Z")
    Scope.objects.create(user=account(ann), queue="orders.*")
    tick.tick()
    work()
    assert [operation.selected for operation in operations()] == [2]
    assert statuses() == {"REVIVED": 2, "PENDING": 3}


@at_work
def test_what_needs_a_second_person_waits_for_one_and_not_for_whom_it_acts_for(letters, ann, bob, settings):
    settings.DLQ_FOUR_EYES_ABOVE = 2
    letters(3)
    made(ann)
    was_away()
    tick.tick()
    work()
    (operation,) = operations()
    assert (operation.status, operation.is_proven) == ("awaiting", True)
    refusal = approval.why_not_approve(operation, ann)
    assert refusal.startswith(f"You asked for operation {operation.pk} yourself")
    with pytest.raises(OperationRefused):
        controls.approve(operation.pk, ann, typed_count=3)
    controls.approve(operation.pk, bob)
    work()
    assert statuses() == {"REVIVED": 3}


@at_work
def test_the_statement_that_decides_refuses_the_person_behind_it_too(
    letters, ann, bob, settings, monkeypatch
):
    settings.DLQ_FOUR_EYES_ABOVE = 2
    letters(3)
    made(ann)
    was_away()
    tick.tick()
    work()
    monkeypatch.setattr(approval, "why_not_approve", lambda *_given: "")
    with pytest.raises(OperationRefused, match="too late"):
        controls.approve(operations()[0].pk, ann, typed_count=3)


@at_work
def test_who_is_alone_approves_by_typing_the_count(letters, ann, settings):
    settings.DLQ_FOUR_EYES_ABOVE = 2
    letters(3)
    made(ann)
    was_away()
    tick.tick()
    work()
    (operation,) = operations()
    controls.approve(operation.pk, ann, typed_count=3)
    work()
    assert statuses() == {"REVIVED": 3}


@at_work
def test_what_waits_for_approval_keeps_it_from_asking_again(letters, ann, bob, settings):
    settings.DLQ_FOUR_EYES_ABOVE = 2
    letters(3)
    row = made(ann)
    was_away()
    tick.tick()
    work()
    was_away()
    tick.tick()
    (operation,) = operations()
    assert story(row)[-1][1] == f"Operation {operation.pk} waits for a second person's approval."
    controls.refuse(operation.pk, person("carl"))
    tick.tick()
    row.refresh_from_db()
    assert row.look.startswith(f"Operation {operation.pk} was cancelled. Refused by carl")
