"""In an outage a program lets its work wait, and whatever becomes of the gate, it is in nobody's way."""

import os
import time

import dlq
import pytest
from dlq import flood_gate, gating

from dlqconsole.running.ports import free_port
from tests.waiting import eventually

TYPE = "order.created"
AWAY = ConnectionRefusedError("billing:443")
# A question takes 50 ms at most; the machine may be busy with something else.
GENEROUS = 2.0


@pytest.fixture(autouse=True)
def patient(monkeypatch, emptied):
    """Wait for an answer of a machine that is busy with other tests, too; no gate is of another test."""
    monkeypatch.setattr(flood_gate, "WAIT", 10.0)
    emptied.owner().execute("DELETE FROM breakers")


@pytest.fixture
def gate(emptied):
    """``gate()`` is the gate's row, as the owner sees it."""

    def read():
        return (
            emptied.owner()
            .execute("SELECT state, waits, failures FROM breakers WHERE key = %s", [f"flood:{TYPE}"])
            .fetchone()
        )

    return read


@pytest.fixture
def probe_is_due(emptied):
    return lambda: emptied.owner().execute("UPDATE breakers SET next_probe_at = '2026-01-01'")


def fail(times):
    return [dlq.gate(TYPE, failed=AWAY) > 0 for _ in range(times)]


def test_what_fails_in_an_outage_is_put_back_and_nothing_begins(init, reporter_url, gate):
    init(reporter_url())
    assert dlq.gate(TYPE) == 0
    assert fail(25) == [False] * 19 + [True] * 6
    assert 0 < dlq.gate(TYPE) < 6
    assert dlq.gate("order.paid") == 0
    assert gate() == ("open", 7, 25)


def test_one_tries_for_all_and_its_success_is_told_at_once(init, reporter_url, gate, probe_is_due):
    init(reporter_url())
    fail(30)
    for _ in range(3):
        probe_is_due()
        assert dlq.gate(TYPE) == 0
        dlq.gate(TYPE, succeeded=1)
    eventually(lambda: dlq.gate(TYPE) == 0)
    assert gate()[0] == "closed"


def test_one_that_tries_and_fails_waits_on(init, reporter_url, gate, probe_is_due):
    init(reporter_url())
    fail(30)
    probe_is_due()
    assert dlq.gate(TYPE) == 0
    assert dlq.gate(TYPE, failed=AWAY, waited=True) > 0
    assert dlq.gate(TYPE) > 0


def test_successes_are_told_with_the_next_failure(init, reporter_url, gate):
    init(reporter_url())
    for _ in range(40):
        assert dlq.gate(TYPE) == 0
        dlq.gate(TYPE, succeeded=1)
        assert fail(1) == [False]
    assert gate()[0] == "closed"


def test_failures_of_the_data_are_dead_letters(init, reporter_url):
    class Unpaid(Exception):
        category = "BUSINESS"

    init(reporter_url())
    assert [dlq.gate(TYPE, failed=Unpaid()) for _ in range(30)] == [0] * 30


def test_while_all_is_well_it_asks_once_a_moment(init, reporter_url, monkeypatch):
    init(reporter_url())
    asked = []
    gate = gating.current()
    answer = gate._answer
    monkeypatch.setattr(gate, "_answer", lambda *a, **more: asked.append(a) or answer(*a, **more))
    monkeypatch.setattr(flood_gate, "BELIEVED", 60.0)
    assert [dlq.gate(TYPE) for _ in range(50)] == [0] * 50
    assert len(asked) == 1


def test_while_the_database_is_away_nothing_waits_and_the_log_says_so_once(init, reporter_url, caplog):
    init(reporter_url(port=free_port()))
    begun = time.monotonic()
    assert [dlq.gate(TYPE, failed=AWAY) for _ in range(200)] == [0] * 200
    assert time.monotonic() - begun < GENEROUS
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "the flood gate does not answer, so nothing waits" in caplog.text


def test_a_database_that_does_not_answer_costs_one_wait(init, reporter_url, monkeypatch, emptied):
    init(reporter_url())
    fail(30)
    monkeypatch.setattr(flood_gate, "WAIT", 0.04)
    with emptied.owner().transaction():
        emptied.owner().execute("LOCK TABLE breakers")
        begun = time.monotonic()
        assert [dlq.gate(TYPE) for _ in range(200)] == [0] * 200
        assert time.monotonic() - begun < GENEROUS


def test_the_child_of_a_fork_asks_by_a_connection_of_its_own(init, reporter_url):
    init(reporter_url())
    fail(30)
    if not (child := os.fork()):
        os._exit(0 if dlq.gate(TYPE) > 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert dlq.gate(TYPE) > 0


@pytest.mark.parametrize("wrong", [{"type": object()}, {"type": "a\x00b"}, {"type": TYPE, "failed": 7}])
def test_whatever_it_is_asked_it_does_not_raise(init, reporter_url, wrong):
    init(reporter_url())
    assert dlq.gate(**wrong) == 0


def test_by_http_nothing_waits_and_who_counts_on_it_is_told(init):
    init("http://token@127.0.0.1:1/")
    assert dlq.gate(TYPE) == 0
    with pytest.raises(ValueError, match="the flood gate needs the console's database"):
        init("http://token@127.0.0.1:1/", flood_gate=True)
