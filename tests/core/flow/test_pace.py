"""The pace in the database: shared by all, judged once a window, and free while nothing is slowed."""

import time
from datetime import timedelta

import pytest
from django.db.models import F

from dlqconsole.core.flow.judging import DEFAULT_BOUNDS, Bounds
from dlqconsole.core.flow.pace import Pace, PaceKey
from dlqconsole.engine.counts.paces import paces
from dlqconsole.engine.models import PacedGroup
from tests.threads import at_once

TYPE, GROUP = "order.created", 7
KEY = PaceKey(TYPE, GROUP)


def note(pace, tried, came_back, seconds=0.1):
    for number in range(tried):
        pace.note(KEY, seconds, number < came_back)


def window_over(seconds=11):
    PacedGroup.objects.update(begun_at=F("begun_at") - timedelta(seconds=seconds))


def judged(tried, came_back, seconds=0.1):
    """What the pace is after one more window with so many outcomes."""
    pace = Pace()
    note(pace, tried, 0, seconds)
    pace._sums[KEY][1] = came_back
    pace.flush(now=True)
    window_over()
    pace.note(KEY, seconds, False)
    pace.flush(now=True)
    return PacedGroup.objects.get()


def slowed_to(rate):
    PacedGroup.objects.update_or_create(
        event_type=TYPE,
        group_id=GROUP,
        defaults={"rate": rate, "floor": 1, "ceiling": 500, "why": "34 % of 100 failed again"},
    )


@pytest.mark.django_db
def test_nothing_is_held_back_and_nothing_is_asked_while_nothing_comes_back(django_assert_num_queries):
    pace = Pace()
    with django_assert_num_queries(1):
        assert [pace.allowed({KEY: 1_000}) for _ in range(50)] == [{KEY: 1_000}] * 50
        note(pace, 500, 0)
        pace.flush()  # not yet: about once a second
    row = judged(500, 20)
    assert (row.rate, row.why, row.slowed_at) == (None, "", None)
    assert 0.09 < row.recent_seconds < 0.11


@pytest.mark.django_db
def test_what_comes_back_slows_it_and_what_stays_away_quickens_it_within_its_bounds(monkeypatch):
    monkeypatch.setattr("dlqconsole.core.flow.pace.DEFAULT_BOUNDS", Bounds(2.0, 20.0, 0.2))
    slowed = judged(100, 90)
    assert 4 < slowed.rate < 5, "half of the 101 in 11 seconds"
    assert slowed.why == "89 % of 101 failed again"
    assert slowed.slowed_at
    assert (slowed.floor, slowed.ceiling) == (2, 20)
    assert judged(100, 100).rate < 3
    assert judged(100, 100).rate < 2.3, "it never stops"
    rates = []
    while (now := judged(100, 0)).rate:
        rates.append(now.rate)
        assert now.slowed_at == slowed.slowed_at
    assert rates == sorted(rates)
    assert now.slowed_at is None
    assert now.why == ""
    assert Pace().allowed({KEY: 7_000}) == {KEY: 7_000}


@pytest.mark.django_db
def test_a_window_is_judged_once_and_no_outcome_is_lost():
    one, other = Pace(), Pace()
    note(one, 30, 28)
    one.flush(now=True)
    window_over()
    row = PacedGroup.objects.get()
    note(other, 2, 2)
    other.flush(now=True)
    slowed = PacedGroup.objects.get()
    assert slowed.rate
    assert slowed.tried == 0
    assert slowed.begun_at > row.begun_at
    note(one, 30, 30)
    one.flush(now=True)
    assert PacedGroup.objects.get().rate == slowed.rate, "not twice in a window"
    assert PacedGroup.objects.get().tried == 30


@pytest.mark.django_db
def test_after_a_silence_a_new_window_begins():
    pace = Pace()
    note(pace, 15, 15)
    pace.flush(now=True)
    PacedGroup.objects.update(begun_at=F("begun_at") - timedelta(hours=1))
    PacedGroup.objects.update(noted_at=F("noted_at") - timedelta(hours=1))
    note(pace, 15, 15)
    pace.flush(now=True)
    row = PacedGroup.objects.get()
    assert (row.tried, row.rate) == (15, None)


@pytest.mark.django_db
def test_what_is_hopeless_is_held_to_the_floor_before_the_window_is_over():
    pace = Pace()
    note(pace, 20, 20)
    pace.flush()
    assert PacedGroup.objects.get().rate == DEFAULT_BOUNDS.floor
    other = PaceKey(TYPE, 8)
    for _ in range(20):
        pace.note(other, 0.1, True, away=True)
    pace.flush(now=True)
    assert PacedGroup.objects.get(group_id=8).rate is None, "an outage is the breaker's to judge first"
    for _ in range(30):
        pace.note(other, 0.1, True, away=True)
    pace.flush(now=True)
    assert PacedGroup.objects.get(group_id=8).rate == 1, "but it has stayed closed"
    pace.forget([TYPE])
    assert PacedGroup.objects.get(group_id=8).tried == 0


@pytest.mark.django_db
def test_what_nobody_has_told_anything_of_for_an_hour_is_forgotten():
    slowed_to(1)
    assert list(Pace().slowed()) == [KEY]
    PacedGroup.objects.update(noted_at=F("noted_at") - timedelta(hours=1))
    assert Pace().allowed({KEY: 100}) == {KEY: 100}
    assert paces(slowed=True) == []
    assert [(each.rate, each.sentence) for each in paces()] == [(None, "")]
    pace = Pace()
    note(pace, 5, 5)
    pace.flush(now=True)
    row = PacedGroup.objects.get()
    assert (row.rate, row.slowed_at, row.why) == (None, None, "")


@pytest.mark.django_db
def test_a_handler_that_slows_down_slows_it_until_it_is_quick_again():
    for _ in range(3):
        assert judged(100, 0, seconds=0.1).rate is None
    slowed = judged(100, 0, seconds=0.4)
    assert 4 < slowed.rate < 6
    assert slowed.why == "its handler takes 400 ms, 100 ms is usual"
    assert judged(100, 0, seconds=0.4).rate < slowed.rate
    lowest = PacedGroup.objects.get().rate
    assert judged(100, 0, seconds=0.1).rate > lowest


@pytest.mark.django_db
def test_a_few_successes_in_a_minute_quicken_it_too():
    slowed_to(50)
    pace = Pace()
    note(pace, 2, 0)
    pace.flush(now=True)
    window_over(seconds=61)
    pace.note(KEY, 0.1, False)
    pace.flush(now=True)
    assert PacedGroup.objects.get().rate > 50


@pytest.mark.django_db
def test_it_can_be_switched_off(settings):
    slowed_to(1)
    settings.DLQ_PACE_ENABLED = False
    pace = Pace()
    note(pace, 10, 10)
    pace.flush(now=True)
    assert pace.allowed({KEY: 100}) == {KEY: 100}
    assert PacedGroup.objects.get().tried == 0


@pytest.mark.django_db
def test_what_was_allowed_and_did_not_begin_goes_back():
    slowed_to(10)
    PacedGroup.objects.update(tokens=10)
    pace = Pace()
    assert pace.allowed({KEY: 8}) == {KEY: 8}
    pace.give_back({KEY: 8})
    assert pace.allowed({KEY: 8}) == {KEY: 8}
    others = {PaceKey("order.paid", GROUP): 8, PaceKey(TYPE, 8): 8}
    assert pace.allowed(others) == others, "neither another type is slowed nor another group"
    assert Pace(3).allowed({KEY: 8}) == {KEY: 8}, "nor an operation"


@pytest.mark.django_db(transaction=True)
def test_the_fleet_shares_one_rate():
    slowed_to(40)
    began, taken = time.monotonic(), []

    def worker():
        pace = Pace()
        while time.monotonic() - began < 0.8:
            taken.append(pace.allowed({KEY: 3})[KEY])
            time.sleep(0.02)

    at_once([worker] * 2)
    seconds = time.monotonic() - began
    assert 30 <= sum(taken) <= 40 * (seconds + 1), "together what one may, and one second's worth at most"
