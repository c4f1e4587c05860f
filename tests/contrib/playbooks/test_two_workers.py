"""Any number of workers, killed anywhere: what happened once makes one operation, and is never lost."""

import signal

import pytest
from django.db.models import F

from dlqconsole.contrib.playbooks import tick
from dlqconsole.contrib.playbooks.models import Playbook, PlaybookEntry
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import Operation
from dlqconsole.processing import crash_points
from tests.contrib.playbooks.conftest import due, made, operations, story, was_away
from tests.operations.processes import Processes
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


class Killed(BaseException):
    """The worker is gone: nothing behind this runs, and no transaction is committed."""


def test_workers_that_see_the_same_edge_make_one_operation(letters, ann, caplog):
    letters(3)
    rows = [made(ann), *(made(ann, trigger="every", trigger_options={"minutes": 5}) for _each in range(3))]
    was_away()
    for row in rows[1:]:
        due(row)
    at_once([tick.tick] * 4)
    at_once([tick.tick] * 4)
    assert sorted(operation.actor for operation in operations()) == sorted(
        f"playbook:{row.pk} for {ann}" for row in rows
    )
    assert PlaybookEntry.objects.filter(outcome="asked").count() == 4
    assert AuditEntry.objects.filter(action="act").count() == 4
    assert not Playbook.objects.exclude(edge=1, part=1).exists()
    # whoever came late stood back: nobody ran into what stands behind the turn
    assert "could not be looked at" not in caplog.text


@pytest.mark.parametrize("column", ["turn", "version"])
def test_whoever_has_an_old_view_of_it_changes_nothing(ann, column):
    row = made(ann)
    Playbook.objects.filter(pk=row.pk).update(**{column: F(column) + 1})
    assert not tick._take(row, held="an old view")
    assert Playbook.objects.get().held == ""


def test_workers_that_see_the_same_reason_tell_it_once(letters, ann):
    letters(1)
    row = made(ann)
    was_away()
    Playbook.objects.update(acts_for="user:999999999")
    at_once([tick.tick] * 4)
    assert [outcome for outcome, _why in story(row)] == ["stopped"]
    assert AuditEntry.objects.filter(action="stop").count() == 1


@pytest.mark.parametrize("place", ["playbook.noticed", "playbook.decided", "playbook.asked"])
def test_a_worker_killed_in_between_costs_nothing_and_doubles_nothing(letters, ann, monkeypatch, place):
    letters(2)
    row = made(ann)
    was_away()

    def reach(name):
        if name == place:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(crash_points, "reach", reach)
        with pytest.raises(Killed):
            tick.tick()
    assert (operations(), story(row)) == ([], [])
    assert Playbook.objects.get().part == 0
    for _each in range(2):
        tick.tick()
    assert len(operations()) == 1
    assert [outcome for outcome, _why in story(row)] == ["asked"]


def test_the_same_part_of_the_same_edge_is_the_same_operation(letters, ann):
    """Should a turn ever be given out twice: the key of the operation, and the entry, stand in the way."""
    letters(2)
    row = made(ann)
    was_away()
    tick.tick()
    before = Playbook.objects.get()
    Operation.objects.update(status="completed", finished_at=before.created_at)
    Playbook.objects.update(part=0, due_at=before.created_at, operation=None)
    tick.tick()
    assert len(operations()) == 1
    assert len(story(row)) == 1


def test_what_a_person_changes_meanwhile_counts(letters, ann, monkeypatch):
    """A worker decides by the row as it read it: one that was switched off since asks for nothing."""
    letters(2)
    row = made(ann)
    was_away()
    choose = tick.choose

    def slow(*given):
        found = choose(*given)
        Playbook.objects.filter(pk=row.pk).update(enabled=False, version=2)
        return found

    monkeypatch.setattr(tick, "choose", slow)
    tick.tick()
    assert operations() == []


@pytest.mark.faults
def test_kill_9_between_the_operation_and_its_commit_leaves_the_edge_to_the_next_worker(letters, ann):
    letters(2)
    row = made(ann)
    was_away()
    with Processes(DLQ_CRASH_POINT="playbook.asked") as processes:
        assert processes.start("tests.contrib.playbooks.worker").wait(30) == -signal.SIGKILL
    assert (operations(), story(row)) == ([], [])
    assert Playbook.objects.get().due_at is not None
    tick.tick()
    assert len(operations()) == 1
