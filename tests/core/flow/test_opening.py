"""An outage opens a breaker, ordinary failures never do, whoever meets them."""

import random

import pytest

from dlqconsole.core.flow.breakers import Gate
from dlqconsole.engine import breakers
from dlqconsole.engine.models import Breaker
from dlqconsole.processing.errors import MissingData
from dlqconsole.processing.outcomes import Failed, Succeeded

pytestmark = pytest.mark.django_db(transaction=True)

TYPE = "order.created"
WELL = Succeeded(None, "null")
AWAY = Failed("BillingAway: billing answered 503", "DEPENDENCY", "BillingAway", "")


def state(key=f"type:{TYPE}"):
    found = breakers.state_of(key)
    return found.effective if found else "closed"


def note(gate, outcomes, **more):
    for outcome in outcomes:
        gate.note(TYPE, outcome, **({"first": True} | more))


def test_in_a_full_outage_twenty_failures_of_the_whole_fleet_open_it():
    fleet = [Gate() for _ in range(4)]
    for gate in fleet:
        note(gate, [WELL] * 300)
    for number in range(20):
        assert state() == "closed"
        note(fleet[number % 4], [AWAY])
    assert state() == "open"
    [found] = breakers.states()
    assert (found.failures, found.reason, found.probes) == (20, AWAY.reason, 0)


@pytest.mark.parametrize(("share", "opens"), [(0.1, False), (0.3, False), (0.7, True)])
def test_a_share_below_a_half_never_opens_it_and_one_above_soon_does(share, opens):
    lot = random.Random(7)
    gates = [Gate(), Gate()]
    for number in range(1_000):
        note(gates[number % 2], [AWAY if lot.random() < share else WELL])
    assert state() == ("open" if opens else "closed")


@pytest.mark.parametrize(
    "outcome",
    [
        Failed("PlaneUnknown: N1", "BUSINESS", "PlaneUnknown", ""),
        Failed("KeyError: 'x'", "UNKNOWN", "KeyError", ""),
        Failed.from_error(MissingData("no observation for that hour yet")),
        Failed("BillingAway: no", "DEPENDENCY", "BillingAway", "", ruled_category="PERMANENT"),
    ],
)
def test_failures_that_do_not_say_that_somebody_is_away_never_open_it(outcome):
    note(Gate(), [outcome] * 60)
    assert state() == "closed"


def test_what_a_rule_calls_dependency_counts():
    note(Gate(), [Failed("StripeDown: no", "UNKNOWN", "StripeDown", "", ruled_category="DEPENDENCY")] * 20)
    assert state() == "open"


def test_it_can_be_switched_off(settings):
    settings.DLQ_BREAKER_FAILURES = 0
    note(Gate(), [AWAY] * 60)
    assert state() == "closed"


def test_a_heap_of_hopeless_old_ones_never_stops_fresh_traffic():
    fresh, schedule = Gate(), Gate()
    note(fresh, [WELL])
    for number in range(40):
        schedule.note(TYPE, AWAY, first=False, which=str(number))
    assert state() == "closed", "a first attempt has just succeeded"
    Breaker.objects.update(first_success_at=None)
    for number in range(40, 80):
        schedule.note(TYPE, AWAY, first=False, which=str(number))
    other = Gate()
    assert other.blocked(TYPE) is not None
    assert other.blocked(TYPE, first=True) is None, "what was never tried goes on"
    note(other, [WELL])
    assert state() == "closed", "and its first success closes"


def test_one_letter_that_fails_again_and_again_is_one():
    gate = Gate()
    for _ in range(60):
        gate.note(TYPE, AWAY, first=False, which="17")
    assert state() == "closed"


def test_old_ones_of_which_some_succeed_do_not_open_it():
    gate = Gate()
    for number in range(200):
        gate.note(TYPE, WELL if number % 6 == 0 else AWAY, first=False, which=str(number))
    assert state() == "closed"


def test_what_failed_ten_minutes_ago_is_forgotten():
    gate = Gate()
    note(gate, [AWAY] * 19)
    Breaker.objects.update(noted_at="2001-01-01T00:00:00Z")
    note(gate, [AWAY])
    assert state() == "closed"
    assert Breaker.objects.get().failures == 1


def test_while_all_is_well_hardly_anything_is_written(django_assert_max_num_queries):
    gate = Gate()
    gate.blocked(TYPE)
    with django_assert_max_num_queries(4):
        note(gate, [WELL] * 2_000)
        gate.flush()
