"""What a playbook does when it happened: one ordinary operation, with a receipt, for the person behind it."""

from uuid import uuid4

import pytest

from dlqconsole.contrib.playbooks import service, tick
from dlqconsole.contrib.playbooks.models import Playbook, PlaybookEntry
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry, FailureGroup
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import controls
from dlqconsole.operations.requests.service import cancel
from dlqconsole.people.names import named
from tests.contrib.playbooks.conftest import answers, due, fails, made, operations, story, was_away, who
from tests.operations.conftest import statuses, work
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db
# a worker commits what it does
at_work = pytest.mark.django_db(transaction=True)


@at_work
def test_when_it_answers_again_what_waits_is_revived_once(letters, ann):
    letters(3)
    letters(2, status="EXHAUSTED")
    letters(1, status="QUARANTINED")
    letters(1, "other.type")
    row = made(ann)
    tick.tick()
    assert operations() == []
    fails()
    tick.tick()
    tick.tick()
    assert operations() == []
    answers()
    for _each in range(3):
        tick.tick()
    (operation,) = operations()
    assert (operation.kind, operation.actor) == ("revive", f"playbook:{row.pk} for {ann}")
    assert operation.reason.startswith(
        "Orders are back: type:order.created answers again: it had failed since"
    )
    work()
    operation.refresh_from_db()
    assert (operation.status, operation.selected, operation.done) == ("completed", 5, 5)
    assert statuses() == {"REVIVED": 5, "QUARANTINED": 1, "PENDING": 1}
    assert [outcome for outcome, _why in story(row)] == ["asked"]
    assert PlaybookEntry.objects.get().operation == operation


def test_what_it_did_stands_in_the_audit_log(letters, ann):
    letters(1)
    row = made(ann)
    was_away()
    tick.tick()
    actor = f"playbook:{row.pk} for {ann}"
    found = AuditEntry.objects.filter(actor=actor).order_by("id").values_list("action", "target")
    operation = operations()[0].pk
    assert list(found) == [("request revive", f"operation:{operation}"), ("act", f"playbook:{row.pk}")]
    assert named(actor) == f"playbook {row.pk} for ann"


def test_an_outage_that_a_restart_lies_between_is_the_same_one(letters, ann):
    letters(1)
    row = made(ann)
    fails()
    tick.tick()
    assert Playbook.objects.get(pk=row.pk).seen_open_at is not None
    answers()
    # whatever a worker had in its memory is gone: what it saw stands in the row
    tick.tick()
    tick.tick()
    assert len(operations()) == 1
    was_away()
    tick.tick()
    assert len(story(row)) == 2


def test_it_waits_where_it_fails_again_and_says_so_once(letters, ann, monkeypatch):
    letters(1)
    row = made(ann)
    was_away()
    with monkeypatch.context() as patched:
        # between what it noticed and what it asks for, the other side goes away again
        patched.setattr(tick, "_act", lambda *_given: None)
        tick.tick()
    fails()
    for _each in range(3):
        tick.tick()
    assert story(row) == [("held", "type:order.created fails again.")]
    answers()
    tick.tick()
    assert [outcome for outcome, _why in story(row)] == ["held", "asked"]


def test_where_nothing_waits_nothing_is_asked_for(ann, letters):
    letters(2, status="QUARANTINED")
    row = made(ann)
    was_away()
    for _each in range(2):
        tick.tick()
    assert operations() == []
    assert story(row) == [("held", "Nothing waits that it could act on.")]


@pytest.mark.parametrize(
    ("trigger", "options", "words"),
    [
        ("every", {"minutes": 30}, "it was due at 2026-01-01 00:00 UTC, every 30 minutes"),
        ("daily", {"at": "03:30"}, "it was due at 2026-01-01 00:00 UTC"),
        ("many", {"above": 2, "pause": 60}, "3 wait, more than 2"),
    ],
)
@at_work
def test_by_the_clock_or_the_number_it_acts_once_and_has_a_next_time(letters, ann, trigger, options, words):
    letters(3)
    row = made(ann, trigger=trigger, trigger_options=options)
    if trigger != "many":
        tick.tick()
        assert operations() == []
    # a standstill of months is made up for once
    due(row)
    for _each in range(3):
        tick.tick()
        work()
    assert [operation.reason for operation in operations()] == [f"Orders are back: {words}"]
    assert Playbook.objects.filter(next_at__gt=row.created_at).exists()


@at_work
def test_its_age_stays_one_and_each_operation_keeps_the_moment(letters, ann):
    letters(1)
    lately = {"type": "order.created", "since": "24h"}
    row = made(ann, filter=lately, trigger="every", trigger_options={"minutes": 30})
    moments = []
    for _each in range(2):
        due(row)
        tick.tick()
        work()
        letters(1)
        row.refresh_from_db()
        assert row.filter == {"q": "type:order.created since:24h"}
        moments.append(DeadLetterFilter.from_canonical(operations()[-1].filter))
    first, second = (each.since for each in moments)
    assert first < second
    assert all("since:2" in each.text and "24h" not in each.text for each in moments)


def test_too_few_wake_nothing(letters, ann):
    letters(2)
    row = made(ann, trigger="many", trigger_options={"above": 2, "pause": 60})
    tick.tick()
    assert operations() == []
    assert story(row) == []


@at_work
def test_never_two_at_once(letters, ann):
    letters(2)
    row = made(ann, trigger="every", trigger_options={"minutes": 5})
    due(row)
    tick.tick()
    (first,) = operations()
    letters(2)
    due(row)
    for _each in range(2):
        tick.tick()
    assert story(row)[1:] == [("held", f"Operation {first.pk} is not over: it is preparing the list.")]
    work()
    tick.tick()
    assert len(operations()) == 2


@at_work
def test_what_came_back_switches_it_to_a_look(letters, ann):
    letters(10)
    row = made(ann, trigger="every", trigger_options={"minutes": 5})
    due(row)
    tick.tick()
    work()
    (operation,) = operations()
    execute(
        "UPDATE dlq_events SET status = 'SUCCEEDED'"
        " WHERE id IN (SELECT id FROM dlq_events ORDER BY id LIMIT 5)"
    )
    execute("UPDATE dlq_events SET status = 'PENDING' WHERE status = 'REVIVED'")
    due(row)
    for _each in range(2):
        tick.tick()
    row.refresh_from_db()
    assert row.look == f"5 of the 10 of operation {operation.pk} failed again, more than 10 %."
    assert len(operations()) == 1
    assert AuditEntry.objects.filter(action="stop", target=f"playbook:{row.pk}").count() == 1


@pytest.mark.parametrize("end", ["halted", "cancelled", "undone"])
@at_work
def test_an_operation_that_was_stopped_switches_it_to_a_look(letters, ann, bob, end):
    letters(2)
    row = made(ann, trigger="every", trigger_options={"minutes": 5})
    due(row)
    tick.tick()
    (operation,) = operations()
    if end == "cancelled":
        cancel(operation.pk, bob)
    elif end == "halted":
        Operation.objects.filter(pk=operation.pk).update(status="halted", note="Halted: 1 of 1 failed again.")
    else:
        work()
        controls.undo(operation.pk, bob, "no", uuid4())
    due(row)
    tick.tick()
    row.refresh_from_db()
    said = {
        "halted": f"Operation {operation.pk} stopped by itself. Halted: 1 of 1 failed again.",
        "cancelled": f"Operation {operation.pk} was cancelled.",
        "undone": f"Operation {operation.pk} was taken back by operation {operation.pk + 1}.",
    }
    assert row.look == said[end]
    tick.tick()
    assert [outcome for outcome, _why in story(row)] == ["asked", "stopped"]


def test_it_goes_on_only_when_a_person_says_so(letters, ann, bob):
    letters(2)
    row = made(ann, trigger="every", trigger_options={"minutes": 5})
    Playbook.objects.filter(pk=row.pk).update(look="It needs somebody.")
    due(row)
    tick.tick()
    assert operations() == []
    service.go_on(row.pk, row.version, who(bob))
    due(row)
    tick.tick()
    assert operations()[0].actor == f"playbook:{row.pk} for {bob}"


def test_the_owner_of_the_group_at_that_moment_is_told(letters, ann):
    letters(1)
    group = FailureGroup.objects.get()
    FailureGroup.objects.update(owner="team weather")
    made(ann, filter={"group": str(group.pk)})
    was_away()
    tick.tick()
    assert PlaybookEntry.objects.get().told == "team weather"
    assert operations()[0].group_id == group.pk


def test_one_that_cannot_be_looked_at_harms_no_other(letters, ann, caplog):
    letters(1)
    bad = made(ann, trigger="every", trigger_options={"minutes": 5})
    good = made(ann, trigger="every", trigger_options={"minutes": 5})
    Playbook.objects.filter(pk=bad.pk).update(trigger_options={})
    due(bad)
    due(good)
    tick.tick()
    assert [operation.actor for operation in operations()] == [f"playbook:{good.pk} for {ann}"]
    assert f"playbook {bad.pk} could not be looked at" in caplog.text


def test_a_filter_that_nobody_understands_any_more_stops_it(letters, ann):
    letters(1)
    row = made(ann, trigger="every", trigger_options={"minutes": 5})
    Playbook.objects.filter(pk=row.pk).update(filter={"status": "GONE"})
    due(row)
    tick.tick()
    row.refresh_from_db()
    assert "status must be one of" in row.look
    assert operations() == []


@at_work
def test_what_keeps_coming_back_is_left_to_a_person(letters, ann, settings):
    settings.DLQ_COME_BACKS = 3
    letters(2)
    (tired,) = letters(1)
    execute("UPDATE dlq_events SET come_backs = 3 WHERE id = %s", tired)
    made(ann)
    was_away()
    tick.tick()
    work()
    (operation,) = operations()
    assert (operation.selected, operation.done) == (2, 2)
    assert statuses() == {"REVIVED": 2, "PENDING": 1}
