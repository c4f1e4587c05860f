"""While it is open one run at a time tries, of all processes; a few that go well close it."""

from datetime import UTC, datetime, timedelta

import pytest

from dlqconsole.core.errors import InvalidBreaker
from dlqconsole.core.flow.breakers import Gate
from dlqconsole.engine import breakers
from dlqconsole.engine.models import AuditEntry, Breaker
from dlqconsole.processing.errors import MissingData
from dlqconsole.processing.outcomes import Failed
from tests.core.flow.test_opening import AWAY, TYPE, WELL, note, state
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)

KEY = f"type:{TYPE}"


@pytest.fixture(autouse=True)
def is_open():
    note(Gate(), [AWAY] * 20)


def pause_over():
    Breaker.objects.update(next_probe_at="2001-01-01T00:00:00Z")


def test_of_eight_at_once_one_may_try():
    assert not Gate().may_probe(TYPE), "its first pause is not over"
    for _ in range(3):
        pause_over()
        assert sorted(at_once([lambda: Gate().may_probe(TYPE)] * 8)) == [False] * 7 + [True]
    assert Breaker.objects.get().probes == 3


def test_the_pauses_grow_from_five_seconds_to_a_minute_and_differ():
    pauses = []
    for _ in range(12):
        pause_over()
        assert Gate().may_probe(TYPE)
        pauses.append(Gate().blocked(TYPE).next_probe_seconds)
    assert 7 < pauses[0] <= 10
    assert all(44 < pause <= 60 for pause in pauses[4:])
    assert len({round(pause, 1) for pause in pauses[4:]}) > 1


def test_a_few_that_go_well_close_it_for_everybody():
    gate, other = Gate(), Gate()
    assert other.blocked(TYPE)
    for number in range(3):
        if number == 0:
            pause_over()
        assert Gate().may_probe(TYPE), "after one that went well the next may try at once"
        note(gate, [WELL])
        assert state() == ("closed" if number == 2 else "half-open")
    other._look_at = 0.0
    assert other.blocked(TYPE) is None


def test_one_that_fails_for_a_reason_of_its_own_says_nothing_and_another_tries():
    pause_over()
    gate = Gate()
    for _ in range(5):
        assert gate.may_probe(TYPE)
        note(gate, [Failed("PlaneUnknown: N1", "BUSINESS", "PlaneUnknown", "")])
        assert state() == "half-open"
    for _ in range(3):
        assert gate.may_probe(TYPE)
        note(gate, [Failed.from_error(MissingData("not yet"))])
    assert state() == "closed", "who says that it has no data yet is there"


def test_one_that_fails_opens_it_again():
    pause_over()
    gate = Gate()
    assert gate.may_probe(TYPE)
    note(gate, [WELL])
    assert Gate().may_probe(TYPE)
    note(gate, [AWAY])
    assert state() == "open"
    assert not Gate().may_probe(TYPE)


def test_a_person_holds_it_closed_or_open_until_a_moment():
    until = datetime.now(UTC) + timedelta(hours=1)
    breakers.hold(KEY, "closed", until, "ann (user 1)", "billing says they are back")
    assert Gate().blocked(TYPE) is None
    breakers.hold(KEY, "open", until, "ann (user 1)", "billing is being moved")
    pause_over()
    blocked = Gate().blocked(TYPE)
    assert (blocked.next_probe_seconds, blocked.held_by) == (None, "ann (user 1)")
    assert not Gate().may_probe(TYPE)
    Breaker.objects.update(held_until="2001-01-01T00:00:00Z")
    assert Gate().may_probe(TYPE), "what it found by itself counts again"
    said = AuditEntry.objects.order_by("id").values_list("action", "target", "actor")
    assert list(said) == [(f"hold {word}", f"breaker:{KEY}", "ann (user 1)") for word in ("closed", "open")]


def test_a_person_resumes_and_the_audit_log_has_it_once():
    assert breakers.resume(KEY, "ann (user 1)", "seen them")
    assert Gate().blocked(TYPE) is None
    assert not breakers.resume(KEY, "ann (user 1)", "again")
    assert AuditEntry.objects.get().detail == {"state": "open", "held": None}


@pytest.mark.parametrize(
    ("key", "held", "hours"),
    [("queue:x", "open", 1), ("type:", "open", 1), (KEY, "ajar", 1), (KEY, "open", 0), (KEY, "open", 2000)],
)
def test_a_hold_without_sense_is_refused(key, held, hours):
    with pytest.raises(InvalidBreaker):
        breakers.hold(key, held, datetime.now(UTC) + timedelta(hours=hours), "ann", "")
