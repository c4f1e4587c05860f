"""Four eyes: what one person may not do alone."""

import pytest
from django.contrib.auth.models import Group, User

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.requests import approval, controls
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import Matching
from dlqconsole.operations.requests.service import request_operation
from dlqconsole.operations.work import run
from tests.accounts import actor_of
from tests.operations.conftest import ask as ask_as
from tests.operations.conftest import counts, statuses, work
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def threshold(settings):
    settings.DLQ_FOUR_EYES_ABOVE = 10


@pytest.fixture
def two_people(db):
    group, _ = Group.objects.get_or_create(name="operator")
    for name in ("alice", "bob"):
        User.objects.create(username=name).groups.add(group)


@pytest.fixture
def one_person(db):
    group, _ = Group.objects.get_or_create(name="operator")
    User.objects.create(username="alice").groups.add(group)


def ask(kind, **given):
    """Ask as alice, signed in."""
    return ask_as(kind, **{"actor": actor_of("alice"), **given})


def test_up_to_the_threshold_nobody_is_asked(letters, two_people):
    letters(10)
    operation = ask("discard", filter={}, expected=10)
    work()
    assert counts(operation)[:3] == ("completed", 10, 10)


def test_above_it_a_second_person_approves_exactly_the_frozen_items(letters, two_people):
    letters(11)
    operation = ask("discard", filter={}, expected=11)
    work()
    assert counts(operation)[:2] == ("awaiting", 11)
    letters(5)
    assert statuses() == {"PENDING": 16}
    controls.approve(operation.pk, actor_of("bob"))
    work()
    assert counts(operation)[:3] == ("completed", 11, 11)
    assert statuses() == {"DISCARDED": 11, "PENDING": 5}
    assert (operation.approver, operation.approval) == (actor_of("bob"), "given")
    trail = column(
        "SELECT actor || ' ' || action FROM audit_log WHERE operation_id = %s ORDER BY id", operation.pk
    )
    alice, bob = actor_of("alice"), actor_of("bob")
    assert trail == [
        f"{alice} request discard", f"{alice} ask for approval", f"{bob} approve", f"{alice} discard",
        f"{alice} completed",
    ]  # fmt: skip


def test_nobody_approves_their_own(letters, two_people):
    letters(11)
    operation = ask("revive", filter={}, expected=11)
    work()
    with pytest.raises(OperationRefused, match="somebody else has to approve"):
        controls.approve(operation.pk, actor_of("alice"), 11)
    assert counts(operation)[0] == "awaiting"


def test_a_filter_that_turns_out_to_match_more_waits_all_the_same(letters, two_people):
    letters(12)
    operation = ask("revive", filter={}, expected=3)
    work()
    assert counts(operation)[0] == "awaiting"


def test_a_refusal_ends_it(letters, two_people):
    letters(11)
    operation = ask("discard", filter={}, expected=11)
    work()
    controls.refuse(operation.pk, actor_of("bob"))
    work()
    assert counts(operation) == ("cancelled", 11, 0, 0, 0)
    assert operation.note == f"Refused by bob (user {actor_of('bob')[5:]}): nothing was done."
    with pytest.raises(OperationRefused, match="does not wait for approval: it is cancelled"):
        controls.approve(operation.pk, actor_of("bob"))


def test_what_nobody_approves_expires(letters, two_people):
    letters(11)
    operation = ask("discard", filter={}, expected=11)
    work()
    execute("UPDATE operations SET approve_until = clock_timestamp()")
    with pytest.raises(OperationRefused, match="it was too late"):
        controls.approve(operation.pk, actor_of("bob"))
    run.take_up(1)
    assert counts(operation)[0] == "cancelled"
    assert operation.note == "Nobody approved it in time: nothing was done."


def test_with_one_person_the_count_is_typed_instead(letters, one_person):
    letters(11)
    assert approval.rule(kinds.get("discard"), {}, 11) == "typed"
    with pytest.raises(OperationRefused, match="Type 11 to show"):
        ask("discard", filter={}, expected=11, typed_count=12)
    operation = ask("discard", filter={}, expected=11, typed_count=11)
    work()
    assert counts(operation)[:3] == ("completed", 11, 11)


def test_what_will_be_skipped_is_not_part_of_the_number_to_type(letters, one_person):
    """Without a confirm page, as on the command line: the number is that of what will be acted on."""
    letters(11)
    letters(1, status="DISCARDED")

    def asked(typed):
        request = OperationRequest("discard", Matching(DeadLetterFilter()), "x", typed_count=typed)
        return request_operation(request, actor=actor_of("alice"))

    with pytest.raises(OperationRefused, match="Type 11 to show"):
        asked(12)
    operation = asked(11)
    work()
    assert (operation.expected, *counts(operation)[:3]) == (12, "completed", 12, 11)


def test_a_typed_count_covers_no_more_than_was_typed(letters, one_person):
    letters(13)
    operation = ask("discard", filter={}, expected=11, typed_count=11)
    work()
    assert counts(operation)[0] == "awaiting"
    with pytest.raises(OperationRefused, match="Type 13"):
        controls.approve(operation.pk, actor_of("alice"), 11)
    controls.approve(operation.pk, actor_of("alice"), 13)
    work()
    assert counts(operation)[:3] == ("completed", 13, 13)


def test_purging_and_unmasked_export_need_two_however_few(two_people):
    assert approval.rule(kinds.get("purge"), {}, 1) == "second"
    assert approval.rule(kinds.get("export"), {"unmasked": True}, 1) == "second"
    assert approval.rule(kinds.get("export"), {"unmasked": False}, 10**6) == "none"
    assert approval.rule(kinds.get("undo"), {}, 10**6) == "none"


def test_what_waits_can_be_cancelled_by_the_one_who_asked(letters, two_people):
    from dlqconsole.operations.requests import service

    letters(11)
    operation = ask("discard", filter={}, expected=11)
    work()
    assert service.cancel(operation.pk, actor_of("alice"))
    assert counts(operation) == ("cancelled", 11, 0, 0, 0)
