"""The arithmetic of evidence, against what can be counted by hand."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlqconsole.contrib.insight.statistics.significance import believable, chance, lift

COUNTS = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(0, 60)).map(
    lambda four: (min(four[0], four[1]), four[1], min(four[2], four[3]), four[3])
)


@pytest.mark.parametrize(("hits", "other"), [(3, 0), (2, 1), (1, 2), (0, 3)])
def test_chance_is_what_counting_all_draws_gives(hits, other):
    """Of four failures and four successes, three marked: which draws of four have so many marked ones?"""
    marked = set(range(hits + other))
    draws = [len(marked & set(draw)) for draw in combinations(range(8), 4)]
    expected = sum(found >= hits for found in draws) / len(draws)
    assert chance(hits, 4, other, 4) == pytest.approx(expected)


@given(COUNTS)
def test_chance_is_a_probability_and_falls_with_each_hit(counts):
    hits, total, other, other_total = counts
    assert 0 <= chance(*counts) <= 1
    if hits < total and other:
        assert chance(hits + 1, total, other - 1, other_total) <= chance(*counts) + 1e-9


def test_chance_of_large_counts_does_not_overflow():
    assert chance(2_000, 2_000, 0, 5_000) < 1e-300
    assert 0.9 < chance(0, 2_000, 3, 5_000) <= 1


@given(COUNTS)
def test_lift_is_finite_and_above_one_where_the_share_is_larger(counts):
    hits, total, other, other_total = counts
    assert 0 < lift(*counts) < float("inf")
    if total == other_total and hits > other:
        assert lift(*counts) > 1


def test_of_noise_next_to_nothing_is_believed():
    evenly = [(place + 0.5) / 1_000 for place in range(1_000)]
    assert sum(believable(evenly, 1_000, 0.01)) == 0
    assert sum(believable([1e-9, 1e-8, *evenly], 1_002, 0.01)) == 2
    # who asks more questions needs more evidence
    assert believable([0.001], 1, 0.01) == [True]
    assert believable([0.001], 1_000, 0.01) == [False]
