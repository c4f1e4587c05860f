"""The card of what was tried: it is summed, and what broke fails the test that says so."""

import pytest

from tests.security.scorecard import PROPERTY, Counter, rows


class Reported:
    """The part of a worker's report that the printing process receives."""

    def __init__(self, when, *lines):
        self.when = when
        self.user_properties = [("other", 1), *((PROPERTY, list(line)) for line in lines)]


def test_what_several_processes_tried_is_summed_once():
    counter = Counter({})
    for when in ("setup", "call", "teardown"):
        counter.pytest_runtest_logreport(Reported(when, ("SQL", 60, 0), ("cells", 7, 0)))
    counter.pytest_runtest_logreport(Reported("teardown", ("SQL", 1000, 2)))
    assert rows(counter.totals) == [
        "SQL    tried     1,060  failed to break     1,058  BROKE 2",
        "cells  tried         7  failed to break         7",
    ]


def test_what_broke_fails_its_test_and_is_named(scorecard, request):
    before = list(request.node.user_properties)
    with pytest.raises(AssertionError, match="1 of 3 broke it: DROP TABLE"):
        scorecard("SQL", tried=3, broke=["DROP TABLE"])
    with pytest.raises(AssertionError, match="nothing was tried"):
        scorecard("SQL", tried=0, broke=0)
    request.node.user_properties[:] = before  # none of it was an attack


def test_what_adds_to_the_card_is_marked(request):
    assert request.node.get_closest_marker("security")
