"""A flood gate lets an outage wait where the work is, and nothing else."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from dlqconsole.core.flow.breakers import Gate
from dlqconsole.engine import breakers
from dlqconsole.engine.models import Breaker
from tests.plain_sql import execute, row

pytestmark = pytest.mark.django_db(transaction=True)

TYPE = "shop.tasks.charge"
KEY = f"flood:{TYPE}"
AWAY = "ConnectionRefusedError: billing:443"


def ask(**given):
    """Tell the gate of outcomes, or ask it; the answer, with the seconds to wait."""
    named = {"event_type": TYPE, **given}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT hold, extract(epoch FROM retry_in)::float8, probe FROM flood_gate("
            + ", ".join(f"{name} => %s" for name in named)
            + ")",
            list(named.values()),
        )
        return cursor.fetchone()


def fail(times=1, **more):
    return [ask(failed=1, error_reason=AWAY, **more)[0] for _ in range(times)]


def probe_is_due():
    Breaker.objects.filter(key=KEY).update(next_probe_at="2026-01-01T00:00:00Z")


def test_an_outage_is_twenty_dead_letters_and_then_waits():
    assert fail(40) == [False] * 19 + [True] * 21
    [state] = breakers.states()
    assert (state.key, state.waits, state.failures) == (KEY, 21, 40)
    assert "21 pieces of work wait meanwhile." in breakers.why(state)


def test_nothing_waits_for_more_than_an_hour():
    fail(30)
    Breaker.objects.filter(key=KEY).update(next_probe_at=datetime.now(UTC) + timedelta(hours=20))
    assert 3590 < ask(drain_rate=0.1)[1] <= 3600


def test_what_waits_once_more_is_one_still():
    fail(30)
    assert fail(5, waited=True) == [True] * 5
    assert breakers.state_of(KEY).waits == 11


def test_successes_alone_leave_no_row():
    assert ask(succeeded=5)[0] is False
    assert not Breaker.objects.exists()


def test_each_that_waits_has_a_moment_of_its_own():
    fail(19)
    waits = [ask(failed=1, error_reason=AWAY, drain_rate=2)[1] for _ in range(11)]
    # the first after the first pause, of which a quarter is drawn by lot; two a second after it
    assert 3.7 < waits[0] < 5.6
    assert 4.5 < waits[10] - waits[0] <= 5.01


def test_one_at_a_time_tries_and_three_that_succeed_open_the_way_for_all():
    fail(30)
    assert [ask()[0] for _ in range(3)] == [True] * 3
    for _ in range(3):
        probe_is_due()
        assert [ask()[0] for _ in range(3)] == [False, True, True]
        ask(succeeded=1)
    assert [ask()[0] for _ in range(3)] == [False] * 3
    assert fail(1) == [False]


def test_a_try_that_fails_waits_again():
    fail(30)
    probe_is_due()
    assert ask() == (False, None, True)
    assert fail(1) == [True]
    assert ask()[0]


@pytest.mark.parametrize("more", [{"error_category": "PERMANENT"}, {"error_category": "BUSINESS"}])
def test_failures_of_the_data_never_wait_and_open_nothing(more):
    assert fail(40, **more) == [False] * 40
    assert breakers.states() == []
    fail(30)
    assert fail(1, **more) == [False]


def test_where_half_succeed_nothing_waits():
    for _ in range(60):
        assert fail(1) == [False]
        ask(succeeded=1)


def test_numbers_may_come_in_one_call():
    assert not ask(failed=19, succeeded=100, error_reason=AWAY)[0]
    assert ask(failed=20, succeeded=0, error_reason=AWAY)[0]


def test_it_stops_no_handler_of_ours():
    fail(30)
    assert Gate().blocked(TYPE) is None
    assert Gate().stopped().types == ()
    execute("SELECT dead_letter_report(%s, '{}', 'Down: no')", TYPE)
    assert row("SELECT count(*) FROM dead_letter_claim(%s)", TYPE) == (1,)


def test_the_overview_says_that_programs_wait(viewer):
    fail(30)
    said = viewer.get("/").content.decode()
    assert f"Programs wait for the flood gate of {TYPE}: 30 failures" in said
    assert "Handlers wait" not in said


def test_a_person_holds_it_open_or_closed():
    until = datetime.now(UTC) + timedelta(hours=1)
    breakers.hold(KEY, "open", until, "user:1", "billing moves")
    assert ask()[0]
    assert fail(1) == [True]
    breakers.hold(KEY, "closed", until, "user:1", "let us see them")
    assert fail(40) == [False] * 40


@pytest.mark.parametrize("wrong", [{"event_type": ""}, {"event_type": None}, {"error_category": "away"}])
def test_what_it_cannot_use_is_refused_in_a_sentence(wrong):
    with pytest.raises(Exception, match=r"flood_gate needs the event type|is none of TRANSIENT"):
        ask(failed=1, **wrong)
