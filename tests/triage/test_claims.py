"""Claims: one person at a time works on a group, and it ends by itself."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry, DeadLetter, FailureGroup
from dlqconsole.triage import claims
from dlqconsole.triage.changes import GroupConflict, GroupEditor, InvalidGroup
from dlqconsole.triage.remarks import SHOWN, remarks

pytestmark = pytest.mark.django_db
TWO_HOURS = timedelta(hours=2)


@pytest.fixture
def group(letter) -> int:
    letter()
    return FailureGroup.objects.get().pk


def who(actor: str, version: int = 1) -> GroupEditor:
    return GroupEditor(actor, version)


def test_a_claim_names_its_person_until_it_ends(group):
    until = claims.claim(group, who("user:ana"), TWO_HOURS).claimed_until
    assert claims.claims([group]) == {group: claims.GroupClaim(group, "user:ana", until)}
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.target) == ("user:ana", "claim", f"group:{group}")
    FailureGroup.objects.update(claimed_until=Now() - timedelta(seconds=1))
    assert claims.claims([group]) == {}


def test_of_two_who_claim_at_once_the_second_hears_of_the_first(group):
    claims.claim(group, who("user:ana"), TWO_HOURS)
    with pytest.raises(GroupConflict) as conflict:
        claims.claim(group, who("user:bo"), TWO_HOURS)
    assert conflict.value.current.claimed_by == "user:ana"
    claims.claim(group, who("user:bo", version=2), TWO_HOURS)
    assert claims.claims([group])[group].actor == "user:bo"


def test_a_released_group_is_nobodys(group):
    claims.claim(group, who("user:ana"), TWO_HOURS)
    claims.release(group, who("user:ana", version=2))
    assert claims.claims([group]) == {}


@pytest.mark.parametrize(("end", "why"), [(25, "24 hours at most"), (-1, "has passed")])
def test_a_claim_is_for_a_shift(group, end, why):
    with pytest.raises(InvalidGroup, match=why):
        claims.claim(group, who("user:ana"), timedelta(hours=end))


def test_remarks_are_those_of_the_groups_that_dead_letters_are_in(letter):
    noted, claimed, other = (letter(event_type=name) for name in ("a", "b", "c"))
    groups = dict(DeadLetter.objects.values_list("pk", "group_id"))
    FailureGroup.objects.filter(pk=groups[noted]).update(note="do not revive before 06:00")
    FailureGroup.objects.filter(pk=groups[other]).update(note="not asked for")
    claims.claim(groups[claimed], who("user:ana"), TWO_HOURS)
    found, may_be_more = remarks(DeadLetter.objects.filter(pk__in=[noted, claimed]))
    assert [(each.group_id, each.claim and each.claim.actor, each.note) for each in found] == [
        (groups[claimed], "user:ana", ""),
        (groups[noted], None, "do not revive before 06:00"),
    ]
    assert not may_be_more
    FailureGroup.objects.update(note="")
    FailureGroup.objects.exclude(claimed_by="").update(claimed_until=Now() - timedelta(seconds=1))
    assert remarks(DeadLetter.objects.all()) == ([], False)


def test_of_many_remarks_some_are_read_and_it_is_said(letter):
    for number in range(SHOWN + 1):
        letter(event_type=f"order.{number}")
    FailureGroup.objects.update(note="see the runbook")
    found, may_be_more = remarks(DeadLetter.objects.all())
    assert (len(found), may_be_more) == (SHOWN, True)


def test_a_search_of_reasons_finds_the_remarks_of_its_matches(letter):
    letter(error_reason="Late: by 7 s")
    letter(error_reason="Refused: billing said no")
    FailureGroup.objects.update(ticket="OPS-7")
    assert len(remarks(DeadLetterFilter(reason="Late").queryset())[0]) == 1
