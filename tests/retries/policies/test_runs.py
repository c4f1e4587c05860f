"""Policies while the schedule runs: what they hold back, let through, and end; also in the middle of one."""

import time
from datetime import timedelta

import pytest

from dlqconsole.core.dead_letters import claims
from dlqconsole.engine.models import DeadLetter
from dlqconsole.retries import next_run, policies, run
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies import PolicyScope, keeping
from dlqconsole.retries.policy_preview import next_runs
from tests.operations.conftest import statuses
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)

WHO = {"actor": "user:100000001", "reason": "as agreed"}
ORDERS = PolicyScope("order.created")


def keep(scope: PolicyScope = ORDERS, **values) -> None:
    keeping.add(scope, values, **WHO)


def test_what_is_paused_switched_off_or_outside_its_window_is_left_as_it_is(letters):
    letters(2)
    keeping.pause(PolicyScope(), **WHO)
    run.run()
    assert statuses() == {"PENDING": 2}
    keeping.resume(PolicyScope(), **WHO)
    keep(enabled=False)
    run.run()
    assert statuses() == {"PENDING": 2}
    tomorrow = (database_now() + timedelta(days=2)).strftime("%a").lower()
    found = keeping.find(ORDERS)
    night = {"window_days": tomorrow, "window_zone": "UTC"}
    clock = database_now().time().replace(second=0, microsecond=0)
    keeping.change(found.pk, found.version, night | {"window_begins": clock, "window_ends": clock}, **WHO)
    run.run()
    assert statuses() == {"PENDING": 2}
    RetryPolicy.objects.all().delete()
    policies.forget()
    run.run()
    assert statuses() == {"SUCCEEDED": 2}


def test_business_failures_are_retried_where_their_group_s_policy_says_so(letters):
    (mine,) = letters(1, error_category="BUSINESS")
    letters(1, error_category="PERMANENT", error_reason="Late: by 7 s")
    keep(PolicyScope(group_id=DeadLetter.objects.get(pk=mine).group_id), enabled=True)
    run.run()
    assert statuses() == {"SUCCEEDED": 1, "PENDING": 1}


def test_waits_and_tries_are_the_policy_s(letters):
    letters(1, '{"do": "transient"}')
    letters(1, '{"do": "transient"}', retry_count=4)
    letters(1, retry_count=9)  # has used more than are allowed now
    keep(max_retries=5, backoff="fixed", backoff_base_seconds=21_600.0)
    run.run()
    assert statuses() == {"PENDING": 1, "EXHAUSTED": 2}
    waiting = DeadLetter.objects.get(status="PENDING")
    assert round((waiting.retry_after - waiting.last_failure_at).total_seconds()) == 21_600


def test_what_a_dead_worker_held_waits_as_its_policy_says(letters):
    letters(
        1,
        status="RETRYING",
        owner="gone",
        lease_until="2020-01-01T00:00:00Z",
        begun_at="2020-01-01T00:00:00Z",
    )
    keep(backoff="fixed", backoff_base_seconds=21_600.0, max_retries=7)
    assert [row["status"] for row in claims.reclaim()] == ["PENDING"]
    left = DeadLetter.objects.get().retry_after - database_now()
    assert timedelta(hours=5, minutes=59) < left <= timedelta(hours=6)


def test_a_pause_stops_a_run_within_seconds(letters, monkeypatch):
    letters(200, '{"do": "sleep", "seconds": 0.05}')
    paused_at = []
    look = policies.current

    def pauses_after_the_first_look():
        found = look()
        if DeadLetter.objects.filter(status="SUCCEEDED").count() >= 5 and not paused_at:
            keeping.pause(ORDERS, **WHO)
            paused_at.append(time.monotonic())
        return found

    monkeypatch.setattr(policies, "current", pauses_after_the_first_look)
    run.run()
    assert paused_at
    assert time.monotonic() - paused_at[0] < 5
    left = statuses()
    assert left["PENDING"] > 50
    assert "RETRYING" not in left


def test_a_run_begins_when_a_window_opens_or_a_pause_ends(settings, letters):
    settings.DLQ_RETRY_FIXED_RATE = 6 * 3_600_000
    run.run_when_due()
    assert not next_run.is_due()
    in_an_hour = database_now() + timedelta(hours=1)
    keeping.pause(ORDERS, until=in_an_hour, **WHO)
    assert next_run.next_run_at() == in_an_hour
    execute("UPDATE retry_policies SET paused_until = now() - interval '1 ms'")
    execute("UPDATE retry_runs SET started_at = started_at - interval '1 hour'")
    policies.forget()
    assert next_run.is_due()


def test_who_asks_gets_one_run(letters):
    run.run_when_due()
    letters(1)
    assert not next_run.is_due()
    next_run.request_run(**WHO)
    done = run.run_when_due()
    assert (done.trigger, statuses()) == ("by hand", {"SUCCEEDED": 1})
    assert not next_run.is_due()


def test_the_runs_to_come_are_in_the_window_and_rise(settings):
    """Also in the nights in which clocks change, and where windows are shorter than the time between runs."""
    every = timedelta(hours=6)
    keep(
        window_days="sat,sun",
        window_begins=_clock("01:30"),
        window_ends=_clock("03:30"),
        window_zone="Europe/Berlin",
    )
    keep(
        PolicyScope("other"),
        window_days="mon",
        window_begins=_clock("22:00"),
        window_ends=_clock("06:00"),
        window_zone="UTC",
    )
    found = policies.read()
    policy = found.of_scope(ORDERS)
    for begins in ("2026-03-27T12:00+00:00", "2026-10-24T23:59+00:00", "2026-07-01T00:00+00:00"):
        runs = next_runs(found, policy, database_now().fromisoformat(begins), every)
        assert len(runs) == 5
        assert runs == sorted(set(runs))
        assert all(policy.window.is_open(at) for at in runs)
    assert next_runs(found, policy, None, every) == []


def _clock(text: str):
    return database_now().time().fromisoformat(text)
