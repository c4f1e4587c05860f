"""A kind that a worker does not know, as in a rolling deploy: left to others, and said on the receipt."""

import logging

import pytest
from django.urls import reverse

from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.sql import sql
from dlqconsole.operations.work import leases, run
from tests.operations.conftest import ask, counts, work
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)

SENTENCE = "No worker that is running knows this kind of operation; restart the workers with the new code."


class Park(Kind):
    name, label = "park", "Park"
    takes, leaves = (S.PENDING,), S.EXHAUSTED
    statement, undo_statement = sql("pages.move"), sql("undoing.move")

    def values(self, options):
        return {"target": str(S.EXHAUSTED)}


@pytest.fixture
def parked(letters):
    """An operation that the web knows, and the worker does not."""
    letters(3)
    kinds.register(Park())
    operation = ask("park", filter={})
    kinds.forget("park")
    yield operation
    kinds.forget("park")


def later():
    execute("UPDATE operations SET created_at = created_at - interval '61 seconds' WHERE kind = 'park'")


def test_it_is_left_alone_without_a_traceback(parked, caplog):
    with caplog.at_level(logging.WARNING):
        run.run(parked.pk)
        run.take_up(1)
    parked.refresh_from_db()
    assert (parked.status, parked.owner, parked.lease_token, parked.note) == ("freezing", None, None, "")
    assert caplog.records == []


def test_it_keeps_nobody_from_other_work(parked):
    held = ask("discard", filter={})
    run.run(held.pk)
    assert counts(held) == ("completed", 3, 3, 0, 0)


def test_after_a_while_its_receipt_says_so_once(parked, operator):
    later()
    assert leases.note_unknown() == [parked.pk]
    assert leases.note_unknown() == []
    assert SENTENCE in operator.get(f"/operations/{parked.pk}/").content.decode()


def test_the_tick_of_a_worker_says_it(parked):
    later()
    run.take_up(1)
    assert Operation.objects.get().note == SENTENCE


def test_a_worker_that_knows_it_does_it(parked):
    later()
    run.take_up(1)
    kinds.register(Park())
    held = leases.adopt(parked.pk, "a new worker")
    assert Operation.objects.get().note == ""
    leases.put_down(held)
    work()
    assert counts(parked) == ("completed", 3, 3, 0, 0)


def test_it_can_be_cancelled(parked, operator):
    later()
    run.take_up(1)
    operator.post(reverse("dlq:operation_cancel", args=[parked.pk]))
    parked.refresh_from_db()
    assert (parked.status, parked.note) == ("cancelled", "")
