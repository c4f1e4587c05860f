"""The budget: so many dead letters an hour and a day, so many operations a day, by the database's clock."""

import pytest

from dlqconsole.contrib.playbooks import tick
from dlqconsole.contrib.playbooks.budget import budget
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import figures
from dlqconsole.operations.requests.figures import OutOfTime
from tests.contrib.playbooks.conftest import answers, due, fails, made, operations, story, was_away
from tests.operations.conftest import statuses, work
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db
# a worker commits what it does
at_work = pytest.mark.django_db(transaction=True)


def earlier(words):
    """What was asked for was asked for at this moment of the database's clock."""
    execute(f"UPDATE playbook_entries SET at = {words}")


@at_work
def test_an_operation_takes_no_more_than_is_left_the_oldest_first(letters, ann):
    ids = letters(5)
    row = made(ann, per_hour=3, per_day=100)
    was_away()
    tick.tick()
    work()
    (operation,) = operations()
    assert (operation.selected, operation.cutoff_id) == (3, ids[2])
    tick.tick()
    tick.tick()
    assert len(operations()) == 1
    (_asked, (outcome, why)) = story(row)
    assert outcome == "held"
    assert why.startswith("Its budget of this hour is used up: 3 dead letters. It goes on at ")


@at_work
def test_the_rest_follows_in_the_next_hour_as_long_as_it_answers(letters, ann):
    letters(5)
    made(ann, per_hour=3, per_day=100)
    was_away()
    tick.tick()
    work()
    earlier("date_trunc('hour', clock_timestamp(), 'UTC') - interval '1 second'")
    fails()
    tick.tick()
    assert len(operations()) == 1
    answers()
    tick.tick()
    work()
    assert [operation.selected for operation in operations()] == [3, 2]
    assert statuses() == {"REVIVED": 5}
    row = Playbook.objects.get()
    assert (row.edge, row.part, row.due_at) == (1, 2, None)


@at_work
def test_at_midnight_of_the_databases_clock_a_new_day_begins(letters, ann):
    letters(4)
    row = made(ann, per_day=2)
    was_away()
    tick.tick()
    work()
    earlier("date_trunc('day', clock_timestamp(), 'UTC')")
    found = budget(row)
    assert (found.this_day, found.operations, found.remaining) == (2, 1, 0)
    assert "2 dead letters" in found.refusal
    earlier("date_trunc('day', clock_timestamp(), 'UTC') - interval '1 millisecond'")
    found = budget(row)
    assert (found.this_day, found.operations, found.remaining, found.refusal) == (0, 0, 2, "")
    tick.tick()
    assert len(operations()) == 2


@at_work
def test_so_many_operations_a_day(letters, ann):
    letters(1)
    row = made(ann, trigger="every", trigger_options={"minutes": 5}, operations_per_day=1)
    due(row)
    tick.tick()
    work()
    letters(1)
    due(row)
    tick.tick()
    assert len(operations()) == 1
    assert story(row)[-1][1].startswith("Its budget of this day is used up: 1 operation. It goes on at ")


@at_work
def test_what_an_operation_did_not_act_on_is_given_back_when_it_is_over(letters, ann):
    letters(4)
    row = made(ann, per_day=10)
    was_away()
    tick.tick()
    assert budget(row).remaining == 6
    execute("UPDATE dlq_events SET status = 'DISCARDED' WHERE id IN (SELECT id FROM dlq_events LIMIT 3)")
    work()
    assert Operation.objects.get().done == 1
    assert budget(row).remaining == 9


@at_work
def test_an_estimate_is_never_taken_for_what_the_budget_has_left(letters, ann, monkeypatch):
    def slow(*_given):
        raise OutOfTime

    letters(5)
    made(ann, per_day=3)
    was_away()
    monkeypatch.setattr(figures, "census", slow)
    tick.tick()
    work()
    assert [operation.selected for operation in operations()] == [3]
