"""While a breaker is open, a retry waits and says so: nothing of it fails, and it goes on by itself."""

import pytest

from dlqconsole.engine import breakers
from dlqconsole.engine.models import Breaker, DeadLetter
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import run
from tests.operations.conftest import ask, counts, statuses, work
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)


def open_breaker(seconds=30):
    execute(
        "INSERT INTO breakers (key, state, failures, next_probe_at, reason) VALUES"
        " ('type:order.created', 'open', 20, now() + make_interval(secs => %s), 'BillingAway: 503')",
        seconds,
    )


def test_it_waits_and_says_why_and_uses_up_no_try(letters):
    letters(30, payload='{"order_id": 1}')
    open_breaker()
    operation = ask("retry", filter={})
    run.take_up(1)
    operation.refresh_from_db()
    assert operation.status == "running"
    assert operation.note.startswith(
        "Waits, and nothing of it counts as failed: the event type order.created failed 20 times,"
    )
    assert (operation.done, operation.failed, operation.skipped) == (0, 0, 0)
    assert set(DeadLetter.objects.values_list("status", "retry_count")) == {("PENDING", 0)}
    assert breakers.resume("type:order.created", "ann")
    Operation.objects.update(lease_until="2001-01-01T00:00:00Z")
    work()
    assert counts(operation) == ("completed", 30, 30, 0, 0)


def test_other_types_go_on_meanwhile(letters):
    letters(5, payload='{"order_id": 1}')
    letters(5, payload='{"total": 1}', event_type="order.checked")
    open_breaker()
    ask("retry", filter={})
    run.take_up(1)
    assert statuses() == {"PENDING": 5, "SUCCEEDED": 5}


def test_an_outage_in_the_midst_of_it_fails_twenty_and_the_rest_waits(letters):
    letters(60, payload='{"do": "dependency"}')
    operation = ask("retry", filter={})
    run.take_up(1)
    operation.refresh_from_db()
    assert (operation.failed, operation.status) == (20, "running")
    assert DeadLetter.objects.filter(retry_count=0).count() == 40
    assert [state.only_again for state in breakers.states()] == [True]


def test_one_of_it_tries_when_it_is_time_and_three_that_go_well_let_all_go_on(letters):
    letters(10, payload='{"order_id": 1}')
    open_breaker(seconds=-1)
    operation = ask("retry", filter={})
    work()
    assert counts(operation) == ("completed", 10, 10, 0, 0)
    assert Breaker.objects.get().state == "closed"


def test_a_canarys_probes_wait_too(letters):
    letters(30, payload='{"order_id": 1}')
    open_breaker()
    operation = ask(
        "retry", filter={}, parameters={"canary": {"probes": 2, "watch_seconds": 1, "threshold": 10}}
    )
    run.take_up(1)
    operation.refresh_from_db()
    assert (operation.stage, operation.done, operation.status) == (0, 0, "running")
    assert operation.note.startswith("Waits")
