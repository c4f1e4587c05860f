"""Workers: several, slow, stale, dead. Every row moves once, and the counts stay exact."""

from functools import partial

import pytest
from django.db import connection

from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages.statements import SetPages
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.work import leases, run
from dlqconsole.operations.work.freezing import freeze
from dlqconsole.operations.work.leases import pages_of
from tests.operations.conftest import ask, counts, messages, statuses, work
from tests.plain_sql import column, execute
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_operators_over_the_same_rows_revive_each_once(letters, settings):
    settings.DLQ_OPERATION_PAGE = 50
    letters(500)
    operations = [ask("revive", filter={}, actor=actor) for actor in ("alice", "bob")]
    at_once([partial(run.run, operation.pk) for operation in operations])
    work()
    found = [counts(operation) for operation in operations]
    assert [(status, selected, failed) for status, selected, _, _, failed in found] == [
        ("completed", 500, 0)
    ] * 2
    assert sum(done for _, _, done, _, _ in found) == 500
    assert sum(skipped for _, _, _, skipped, _ in found) == 500
    assert messages() == (500, 500)
    for operation, other in (operations, operations[::-1]):
        for outcome in receipt.outcomes(operation.pk):
            assert outcome.status == "done" or outcome.reason == f"is already REVIVED (operation {other.pk})"


def test_eight_threads_revive_the_same_rows_once_each(letters, settings):
    settings.DLQ_OPERATION_PAGE = 20
    letters(500)
    operations = [ask("revive", filter={}, actor=f"operator-{n}") for n in range(8)]
    at_once([partial(run.run, operation.pk) for operation in operations])
    work()
    assert messages() == (500, 500)
    assert sum(counts(operation)[2] for operation in operations) == 500
    assert column("SELECT max(revive_count) FROM dlq_events") == [1]
    who = dict(column("SELECT ROW (dead_letter_id, operation_id) FROM operation_items WHERE status = 'done'"))
    skipped = column("SELECT ROW (dead_letter_id, reason) FROM operation_items WHERE status = 'skipped'")
    assert len(skipped) == 7 * 500
    assert all(reason == f"is already REVIVED (operation {who[letter_id]})" for letter_id, reason in skipped)


def test_opposite_operations_share_the_rows_exactly(letters, settings):
    settings.DLQ_OPERATION_PAGE = 25
    letters(300)
    operations = [ask(kind, filter={}) for kind in ("revive", "discard", "revive", "discard")]
    at_once([partial(run.run, operation.pk) for operation in operations])
    work()
    done = [counts(operation)[2] for operation in operations]
    assert sum(done) == 300
    assert statuses().get("REVIVED", 0) == done[0] + done[2] == messages()[0]
    assert statuses().get("DISCARDED", 0) == done[1] + done[3]


def test_eight_workers_on_one_operation_are_one_worker(letters):
    letters(100)
    operation = ask("revive", filter={})
    at_once([partial(run.run, operation.pk)] * 8)
    work()
    assert counts(operation) == ("completed", 100, 100, 0, 0)
    assert operation.adoptions == 0


@pytest.mark.parametrize(("kind", "seconds"), [("revive", 20), ("retry", 55)])
def test_a_lease_is_as_long_as_the_longest_step_of_its_kind(letters, settings, kind, seconds):
    settings.DLQ_LEASE_SECONDS, settings.DLQ_HANDLER_TIMEOUT = 20, 30
    operation = ask(kind, filter={})
    leases.adopt(operation.pk, "somebody")
    (left,) = column("SELECT extract(epoch FROM lease_until - clock_timestamp()) FROM operations")
    assert seconds - 5 < left <= seconds


def test_a_stale_worker_changes_nothing(letters):
    letters(10)
    operation = ask("revive", filter={})
    stale = leases.adopt(operation.pk, "asleep")
    assert leases.adopt(operation.pk, "too early") is None
    freeze(stale, deadline=float("inf"))
    execute("UPDATE operations SET lease_until = now() - interval '1 s' RETURNING id")
    assert leases.adopt(operation.pk, "the next") is not None
    with pytest.raises(NotOurs):
        pages_of(stale, "stale", lambda: False).next(0)
    assert leases.finish(stale) == ""
    assert leases.put_down(stale) is False
    assert counts(operation) == ("running", 10, 0, 0, 0)
    assert operation.adoptions == 1
    assert statuses() == {"PENDING": 10}


def test_a_stale_worker_does_not_go_on_freezing(letters):
    letters(3)
    operation = ask("revive", filter={})
    stale = leases.adopt(operation.pk, "asleep")
    execute("UPDATE operations SET lease_until = now() - interval '1 s' RETURNING id")
    leases.adopt(operation.pk, "the next")
    with pytest.raises(NotOurs):
        freeze(stale, deadline=float("inf"))
    assert counts(operation)[1] == 0


def test_a_slice_ends_in_time_and_another_goes_on(letters, settings, wakeups):
    settings.DLQ_OPERATION_PAGE = 5
    letters(40)
    operation = ask("revive", filter={})
    run.run(operation.pk, seconds=0.0)
    assert counts(operation)[0] == "running"
    assert wakeups == [operation.pk, operation.pk]  # the click, and the slice's end
    work()
    assert counts(operation) == ("completed", 40, 40, 0, 0)
    assert operation.adoptions == 0


def test_freezing_goes_on_where_it_stopped(letters, monkeypatch):
    first = letters(30)[0]
    monkeypatch.setattr("dlqconsole.operations.work.freezing.FIRST_WINDOW", first + 3)
    operation = ask("revive", filter={})
    held = leases.adopt(operation.pk, "one")
    assert freeze(held, deadline=0.0) is False
    assert 0 < counts(operation)[1] <= 4
    leases.put_down(held)
    work()
    assert counts(operation) == ("completed", 30, 30, 0, 0)


def test_a_fresh_operation_is_frozen_before_a_long_one_goes_on(letters, settings):
    settings.DLQ_OPERATION_PAGE = 5
    letters(50)
    long = ask("revive", filter={"type": "order.created"})
    run.run(long.pk, seconds=0.0)
    fresh = ask("discard", filter={"type": "order.created", "status": "PENDING"})
    run.run(long.pk)
    assert counts(long)[0] == "running"
    run.take_up(0.3)
    assert counts(fresh)[1] > 0
    work()
    assert counts(long)[2] + counts(fresh)[2] == 50


def test_rows_locked_by_somebody_else_wait_and_hold_nobody_up(letters):
    ids = letters(10)
    operation = ask("revive", filter={})
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT id FROM dlq_events WHERE id = ANY(%s) FOR UPDATE", [ids[2:4]])
    try:
        run.run(operation.pk)
        assert counts(operation) == ("running", 10, 8, 0, 0)
        assert "locked by another session" in operation.note
    finally:
        other.close()
    work()
    assert counts(operation) == ("completed", 10, 10, 0, 0)
    assert operation.note == ""


def test_what_nobody_foresaw_is_said_on_the_receipt_and_tried_again(letters, monkeypatch):
    letters(2)
    operation = ask("revive", filter={})
    with monkeypatch.context() as patch:
        patch.setattr(SetPages, "next", lambda *_: 1 / 0)
        run.run(operation.pk)
    operation.refresh_from_db()
    assert "ZeroDivisionError" in operation.note
    execute("UPDATE operations SET lease_until = now() RETURNING id")  # the rest is over
    work()
    assert counts(operation) == ("completed", 2, 2, 0, 0)
    assert Operation.objects.get().note == ""
