"""What people do with a group: two of them never overwrite each other, and a snooze ends by itself."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.models import AuditEntry, DeadLetter, FailureGroup
from dlqconsole.triage import changes as group_life
from dlqconsole.triage.changes import GroupConflict, GroupEditor, InvalidGroup, UnknownGroup
from tests.moving import bring_to

pytestmark = pytest.mark.django_db

WORDS = {"owner": "ana", "note": "the retry storm of March", "ticket": "https://tickets.example/42"}


@pytest.fixture
def group(letter):
    letter()
    letter()
    return FailureGroup.objects.get().pk


def who(version=1, actor="user:ana", reason=""):
    return GroupEditor(actor, version, reason)


def state(group):
    return group_figures.group(group)["state"]


def test_owner_note_and_ticket_are_kept_and_audited(group):
    group_life.describe(group, who(), **WORDS)
    found = FailureGroup.objects.get()
    assert (found.owner, found.note, found.ticket, found.version) == (*WORDS.values(), 2)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.target) == ("user:ana", "describe", f"group:{group}")
    assert entry.detail["changes"]["owner"] == ["", "ana"]


def test_nothing_changed_is_nothing_written(group):
    group_life.describe(group, who(), owner="", note=" ", ticket="")
    assert FailureGroup.objects.get().version == 1
    assert not AuditEntry.objects.exists()


def test_the_second_of_two_people_hears_what_the_first_wrote(group):
    group_life.describe(group, who(), **WORDS)
    with pytest.raises(GroupConflict) as conflict:
        group_life.describe(group, who(actor="user:bo"), owner="bo", note="mine", ticket="")
    assert conflict.value.current.note == WORDS["note"]
    assert FailureGroup.objects.get().owner == "ana"
    with pytest.raises(GroupConflict):
        group_life.resolve(group, who())


def test_what_people_wrote_survives_every_dead_letter(group):
    group_life.describe(group, who(), **WORDS)
    bring_to("REVIVED")
    DeadLetter.objects.all().delete()
    assert FailureGroup.objects.get().note == WORDS["note"]
    assert [row["id"] for row in group_figures.list_groups(["open"])] == [group]


def test_resolved_is_out_of_the_way_until_it_comes_back(group, letter):
    group_life.resolve(group, who(reason="deployed 42"))
    assert AuditEntry.objects.get().reason == "deployed 42"
    assert group_figures.burning() == []
    assert group_figures.count_by_state()["resolved"] == 1
    letter()
    assert [row["state"] for row in group_figures.burning()] == ["regressed"]
    assert [row["id"] for row in group_figures.regressed()] == [group]
    group_life.reopen(group, who(2))
    assert state(group) == "open"


class TestSnooze:
    def test_until_a_moment(self, group):
        group_life.snooze(group, who(), until=timezone.now() + timedelta(hours=8))
        assert state(group) == "snoozed"
        assert group_figures.burning() == []
        assert group_figures.list_groups(["open", "regressed"]) == []
        FailureGroup.objects.update(snoozed_until=timezone.now())
        assert state(group) == "open"
        assert len(group_figures.burning()) == len(group_figures.list_groups(["open"])) == 1
        assert group_figures.count_by_state()["open"] == 1

    def test_until_so_many_more_failures(self, group, letter):
        group_life.snooze(group, who(), more=2)
        letter()
        assert state(group) == "snoozed"
        DeadLetter.objects.filter(pk=DeadLetter.objects.first().pk).update(occurrences=2)
        assert state(group) == "open"
        assert "as often" in group_figures.group(group)["over"]

    def test_while_less_come_in_an_hour(self, group, letter):
        group_life.snooze(group, who(), below_rate=2)
        assert state(group) == "snoozed"
        letter()
        assert state(group) == "open"

    def test_a_fold_makes_its_end_last_and_says_why(self, group):
        group_life.snooze(group, who(), until=timezone.now() + timedelta(hours=8))
        rollups.fold()
        assert FailureGroup.objects.get().state == "snoozed"
        FailureGroup.objects.update(snoozed_until=timezone.now() - timedelta(seconds=1))
        rollups.fold()
        assert FailureGroup.objects.get().state == "open"
        assert "its time has come" in AuditEntry.objects.get(action="wake").reason

    @pytest.mark.parametrize(
        ("asked", "sentence"),
        [
            ({}, "Say until when"),
            ({"until": timezone.now() - timedelta(hours=1)}, "has passed"),
            ({"until": timezone.now() + timedelta(days=400)}, "a year at most"),
            ({"more": 0}, "between 1 and"),
            ({"below_rate": 10**12}, "between 1 and"),
            ({"below_rate": 1}, "would not sleep"),
        ],
    )
    def test_a_snooze_that_makes_no_sense_is_refused_with_a_sentence(self, group, asked, sentence):
        with pytest.raises(InvalidGroup, match=sentence):
            group_life.snooze(group, who(), **asked)


@pytest.mark.parametrize(
    "words", [{"note": "x" * 10_001}, {"owner": "a\x00b"}, {"ticket": "\ud800"}], ids=["long", "nul", "half"]
)
def test_words_that_cannot_be_kept_are_refused(group, words):
    with pytest.raises(InvalidGroup):
        group_life.describe(group, who(), **(WORDS | words))


def test_a_group_that_is_not_there_is_said_so():
    with pytest.raises(UnknownGroup):
        group_life.resolve(7, who())
