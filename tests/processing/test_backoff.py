"""The wait before the next attempt, as a table."""

import pytest

from dlqconsole.processing import delay


@pytest.mark.parametrize(
    ("attempt", "seconds"),
    [(0, 10), (1, 20), (2, 40), (5, 320), (8, 2560), (9, 3600), (20, 3600), (21, 3600), (10**9, 3600)],
)
def test_the_wait_doubles_until_the_cap(attempt, seconds):
    assert delay(attempt, base=10, cap=3600) == seconds


@pytest.mark.parametrize(("jitter", "seconds"), [(0.0, 0), (0.25, 10), (0.5, 20), (1.0, 40)])
def test_jitter_is_the_fraction_of_the_wait_that_is_used(jitter, seconds):
    assert delay(2, base=10, cap=3600, jitter=jitter) == seconds


def test_a_factor_of_one_waits_equally_long_each_time():
    assert [delay(n, base=7, cap=100, factor=1) for n in range(3)] == [7, 7, 7]


def test_after_twenty_steps_an_enormous_cap_is_not_approached_any_further():
    assert delay(21, base=1, cap=1e12) == delay(20, base=1, cap=1e12) == 2**20


@pytest.mark.parametrize(
    "wrong", [{"attempt": -1}, {"base": -1}, {"cap": -1}, {"factor": 0.5}, {"jitter": 1.1}]
)
def test_nonsense_is_refused(wrong):
    with pytest.raises(ValueError, match="must"):
        delay(**{"attempt": 0, "base": 1, "cap": 1, **wrong})
