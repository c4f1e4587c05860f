"""How the next rate follows from what a window has shown: a pure function, and a downstream that it meets."""

import itertools
import math
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from dlqconsole.core.flow.judging import (
    DECREASE,
    INTERVAL_SECONDS,
    STEPS,
    Bounds,
    Evidence,
    PaceState,
    enough,
    is_bad,
    judge,
    rate_words,
)

BOUNDS = Bounds(floor=1.0, ceiling=500.0, come_back=0.2)


def window(tried, came_back, latency=0.1, seconds=INTERVAL_SECONDS):
    timed = tried - came_back
    return Evidence(tried, came_back, timed, timed * math.log(latency), seconds)


@st.composite
def windows(draw):
    tried = draw(st.integers(1, 5_000))
    came_back = draw(st.integers(0, tried))
    return window(tried, came_back, draw(st.floats(1e-5, 300)), draw(st.floats(0.5, 3_600)))


rates = st.none() | st.floats(BOUNDS.floor, BOUNDS.ceiling, exclude_max=True)
known = st.builds(PaceState, rate=rates, baseline_seconds=st.none() | st.floats(1e-5, 300))


@settings(max_examples=60)
@given(known, windows())
def test_it_never_stops_and_never_leaves_its_bounds(before, seen):
    after = judge(before, seen, BOUNDS)
    assert after.rate is None or BOUNDS.floor <= after.rate <= BOUNDS.ceiling
    assert after.rate is not None or after.why == ""


@settings(max_examples=60)
@given(known, windows())
def test_what_is_well_never_slows_and_what_comes_back_never_quickens(before, seen):
    after = judge(before, seen, BOUNDS)
    slower = (after.rate or math.inf) < (before.rate or math.inf)
    if seen.share > BOUNDS.come_back:
        assert (after.rate or math.inf) <= (before.rate or math.inf)
        lowest = BOUNDS.lowest(seen.share)
        assert slower or seen.attempts < enough(before.rate) or before.rate <= lowest + 1e-9
    elif before.baseline_seconds is None:
        assert not slower
    if before.rate and after.rate and after.rate > before.rate:
        assert after.rate <= before.rate + min(BOUNDS.step, before.rate) + 1e-9


def test_half_of_what_was_really_tried():
    assert judge(PaceState(), window(1_000, 940), BOUNDS).rate == 50.0
    assert judge(PaceState(rate=40.0), window(1_000, 940), BOUNDS).rate == 20.0
    assert judge(PaceState(), window(1_000, 340), BOUNDS).why == "34 % of 1,000 failed again"


def test_the_floor_is_for_what_is_hopeless_alone():
    assert judge(PaceState(), window(1_000, 1_000), BOUNDS).rate == BOUNDS.floor, "at once"
    lowest = [BOUNDS.lowest(share) for share in (0.2, 0.3, 0.5, 0.8, 0.99, 1.0)]
    assert [round(rate, 1) for rate in lowest] == [500.0, 229.9, 48.6, 4.7, 1.1, 1.0]
    assert judge(PaceState(rate=300.0), window(1_000, 300), BOUNDS).rate == lowest[1]
    assert judge(PaceState(rate=100.0), window(1_000, 300), BOUNDS).rate == 100.0, (
        "what comes back never quickens"
    )


def test_what_is_clear_is_not_waited_for():
    assert is_bad(PaceState(), window(20, 20), BOUNDS)
    assert not is_bad(PaceState(), window(20, 19), BOUNDS)
    assert is_bad(PaceState(), window(50, 11), BOUNDS)
    assert not is_bad(PaceState(), window(500, 100), BOUNDS)
    assert not is_bad(PaceState(rate=1.0), window(50, 50), BOUNDS), "once it is slowed, the windows decide"


def test_two_thousand_of_which_three_in_ten_fail_at_random_drain_within_five_minutes():
    random = Random(5)
    for _again in range(20):
        now, left, seconds = PaceState(), 2_000, 0.0
        while left:
            going = min(left, max(int((now.rate or 200.0) * INTERVAL_SECONDS), 1))
            back = sum(random.random() < 0.3 for _ in range(going))
            now = judge(now, window(going, back), BOUNDS)
            left, seconds = left - going + back, seconds + INTERVAL_SECONDS
        assert seconds <= 300


def test_a_few_that_come_back_are_no_evidence():
    assert judge(PaceState(), window(19, 19), BOUNDS).rate is None


def test_between_half_the_share_and_the_share_it_stays():
    assert judge(PaceState(rate=10.0), window(100, 15), BOUNDS).rate == 10.0


def test_slow_answers_slow_it_by_their_gradient():
    usual = PaceState(baseline_seconds=0.1)
    assert judge(usual, window(1_000, 0, latency=0.19), BOUNDS).rate is None, "less than twice the usual"
    slowed = judge(usual, window(1_000, 0, latency=0.25), BOUNDS)
    assert math.isclose(slowed.rate, 100 * 2 * 0.1 / 0.25)
    assert slowed.why == "its handler takes 250 ms, 100 ms is usual"
    assert judge(usual, window(1_000, 0, latency=9), BOUNDS).rate == 100 * DECREASE
    assert judge(PaceState(baseline_seconds=1e-4), window(1_000, 0, latency=0.04), BOUNDS).rate is None, (
        "noise"
    )


def test_a_few_that_hang_move_nothing():
    latencies = [0.01] * 996 + [30.0] * 4
    seen = Evidence(1_000, 0, 1_000, sum(map(math.log, latencies)), INTERVAL_SECONDS)
    assert judge(PaceState(baseline_seconds=0.01), seen, BOUNDS).rate is None


def test_what_lasts_becomes_the_usual():
    now, windows = PaceState(baseline_seconds=0.1), 0
    while 2 * now.baseline_seconds < 1.0:
        now, windows = judge(now, window(1_000, 0, latency=1.0), BOUNDS), windows + 1
    assert 60 <= windows <= 120, "ten to twenty minutes at ten seconds a window"


def test_from_the_floor_it_doubles_and_then_goes_by_steps_until_nothing_holds_it_back():
    now, seen = PaceState(rate=BOUNDS.floor, why="34 % of 1,000 failed again"), []
    while now.rate is not None:
        seen.append(now.rate)
        now = judge(now, window(max(round(now.rate * 10), 3), 0), BOUNDS)
    assert seen[:4] == [1, 2, 4, 8]
    assert len(seen) <= STEPS + 4
    assert now.why == ""


class Downstream:
    """Bears so many a second; of what is more it refuses the rest, and it answers the slower."""

    def __init__(self, bears):
        self.bears = bears

    def meets(self, offered):
        borne = min(offered, self.bears)
        tried = max(round(offered * INTERVAL_SECONDS), 1)
        return window(tried, round((offered - borne) * INTERVAL_SECONDS), 0.1 * max(offered / self.bears, 1))


def run(now, downstream, wanted, windows):
    offered = []
    for _ in range(windows):
        offered.append(min(now.rate or wanted, wanted))
        now = judge(now, downstream.meets(offered[-1]), BOUNDS)
    return now, offered


def test_it_follows_a_downstream_down_and_up_again():
    service = Downstream(bears=1_000)
    now, offered = run(PaceState(), service, wanted=400, windows=10)
    assert set(offered) == {400}, "nothing is held back while all is well"
    service.bears = 40
    now, offered = run(now, service, wanted=400, windows=60)
    assert offered[:3] == [400, 200, 100], "given up quickly"
    settled = offered[10:]
    assert BOUNDS.floor <= min(settled)
    assert max(settled) <= 60
    assert sum(settled) / len(settled) > 0.6 * 40, "and most of what it bears is used"
    service.bears = 1_000
    now, offered = run(now, service, wanted=400, windows=STEPS + 10)
    assert all(later >= earlier for earlier, later in itertools.pairwise(offered))
    assert now.rate is None
    assert offered[-1] == 400


def test_a_rate_is_said_in_a_unit_that_people_can_picture():
    assert [rate_words(rate) for rate in (500, 10, 1, 0.2, 2 / 60, 1_234)] == [
        "500 a second", "10 a second", "60 a minute", "12 a minute", "120 an hour", "1,234 a second"
    ]  # fmt: skip
