"""While a breaker is open the schedule leaves its event type alone, lets one try, and goes on by itself."""

import time

import pytest

from dlqconsole.core.dead_letters import claims
from dlqconsole.core.flow.breakers import Gate
from dlqconsole.engine import breakers
from dlqconsole.engine.models import Breaker, DeadLetter
from dlqconsole.retries import policies, run
from dlqconsole.retries.throttle import Throttle
from dlqconsole.retries.worker_lane import WorkerLane
from tests.operations.conftest import statuses
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def short(settings):
    settings.DLQ_RETRY_TIME_BUDGET = 1


def due(letters, number, **more):
    return letters(number, retry_after="2001-01-01T00:00:00Z", **more)


def open_breaker(next_probe="now() + interval '1 hour'"):
    execute(
        "INSERT INTO breakers (key, state, failures, next_probe_at, reason)"
        f" VALUES ('type:order.created', 'open', 20, {next_probe}, 'BillingAway: 503')"
    )


def test_what_it_stops_uses_up_no_try_and_another_type_goes_on(letters):
    due(letters, 20)
    execute(
        "INSERT INTO dlq_events (event_type, payload, error_reason, error_category, retry_after)"
        " VALUES ('order.checked', '{\"total\": 1}', 'Refused: no', 'TRANSIENT', '2001-01-01')"
    )
    open_breaker()
    ended = run.run()
    assert (ended.succeeded, ended.failed) == (1, 0)
    assert ended.more_due, "the next run follows at once, so that nobody waits for the next turn"
    assert statuses() == {"PENDING": 20, "SUCCEEDED": 1}
    assert DeadLetter.objects.filter(retry_count=0, status="PENDING").count() == 20


def test_one_that_tries_and_two_more_that_go_well_let_all_go_on(letters, settings):
    settings.DLQ_RETRY_TIME_BUDGET = 20
    due(letters, 20)
    open_breaker(next_probe="now()")
    ended = run.run()
    assert ended.succeeded == 20
    assert breakers.states() == []


def test_a_lane_that_has_nothing_takes_no_turn_of_those_that_have(letters):
    """The turn to try is one for all processes: a consumer may wait for it with a queue full."""
    letters(1, payload='{"total": 1}')
    execute("UPDATE dlq_events SET event_type = 'order.checked'")
    open_breaker(next_probe="now()")
    assert run.run().succeeded == 1
    assert Breaker.objects.values_list("state", "probes").get() == ("open", 0)


def test_what_was_claimed_to_try_does_not_begin_when_another_was_faster(letters):
    due(letters, 1)
    open_breaker(next_probe="now()")
    [line, *_] = map(WorkerLane, policies.current().lanes(["order.created"]))
    throttle = Throttle(late=False)
    room = throttle.room(line, 5)
    assert room.number == 1
    assert Gate().may_probe("order.created")
    line.add_claims(claims.claim_due([line.request(1, 0.0)], "us").claims[0], 1)
    throttle.took(line, room, list(line.waiting))
    assert line.waiting
    assert throttle.stops(line)
    assert throttle.room(line, 5).number == 0
    assert Breaker.objects.get().probes == 1


def test_an_outage_that_only_it_meets_fails_about_twenty(letters, settings):
    settings.DLQ_RETRY_TIME_BUDGET = 4
    due(letters, 200, payload='{"do": "dependency"}')
    ended = run.run()
    assert 20 <= ended.failed <= 24
    assert DeadLetter.objects.filter(retry_count=0, status="PENDING").count() == 200 - ended.failed
    [state] = breakers.states()
    assert state.only_again


def test_what_a_person_holds_back_is_not_waited_for(letters, settings):
    settings.DLQ_RETRY_TIME_BUDGET = 60
    due(letters, 5)
    execute(
        "INSERT INTO breakers (key, held, held_until, held_by)"
        " VALUES ('type:order.created', 'open', now() + interval '1 hour', 'ann')"
    )
    begun = time.monotonic()
    assert run.run().failed == 0
    assert time.monotonic() - begun < 20
    assert DeadLetter.objects.filter(retry_count=0, status="PENDING").count() == 5
