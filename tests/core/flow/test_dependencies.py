"""A handler names what it depends on: what is away stops all that need it, and nothing else."""

import pytest

from dlqconsole.core.flow.breakers import Gate
from dlqconsole.engine import breakers
from dlqconsole.engine.models import Breaker
from dlqconsole.processing.errors import DependencyError, HandlerSetupError
from dlqconsole.processing.handlers import handler
from dlqconsole.processing.outcomes import Failed
from tests.core.flow.test_opening import AWAY, WELL, state

pytestmark = pytest.mark.django_db(transaction=True)


class StockAway(DependencyError):
    dependency = "stock"


@pytest.fixture(autouse=True)
def started(started_with):
    started_with("tests.core.flow.needy_handlers")


def test_what_is_away_stops_every_type_that_names_it_and_no_other():
    gate = Gate()
    for _ in range(20):
        gate.note("bill.sent", AWAY, first=True)
    assert [found.key for found in breakers.states()] == ["dependency:billing"]
    assert breakers.states()[0].event_types == ("bill.paid", "bill.sent", "parcel.billed")
    assert gate.blocked("bill.paid").key == "dependency:billing"
    assert gate.blocked("parcel.sent") is None


def test_of_several_dependencies_the_error_says_which():
    gate = Gate()
    for _ in range(20):
        gate.note("parcel.billed", Failed.from_error(StockAway("no answer")), first=True)
    assert state("dependency:stock") == "open"
    assert gate.blocked("bill.sent") is None


def test_where_nobody_says_which_the_type_is_stopped_alone():
    gate = Gate()
    for _ in range(20):
        gate.note("parcel.billed", AWAY, first=True)
    assert [found.key for found in breakers.states()] == ["type:parcel.billed"]


def test_one_that_tries_takes_a_turn_of_all_that_it_needs():
    gate = Gate()
    for event_type in ("bill.sent", "parcel.sent"):
        for _ in range(20):
            gate.note(event_type, AWAY, first=True)
    Breaker.objects.filter(key="dependency:billing").update(next_probe_at="2001-01-01T00:00:00Z")
    assert not Gate().may_probe("parcel.billed"), "stock's pause is not over"
    Breaker.objects.update(next_probe_at="2001-01-01T00:00:00Z")
    assert Gate().may_probe("parcel.billed")
    assert not Gate().may_probe("bill.sent")
    for _ in range(3):
        gate.note("parcel.billed", WELL, first=True)
    assert breakers.states() == []


@pytest.mark.parametrize("name", ["", "x" * 101, "a\x00", 7])
def test_a_dependency_has_a_name(name):
    with pytest.raises(HandlerSetupError, match="depends_on is a name such as"):
        handler("x", depends_on=[name])
