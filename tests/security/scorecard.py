"""A pytest plugin: what the tests of security tried, and how much of it did not break anything.

A test says it by the fixture: ``scorecard("SQL attacks by role", tried=60, broke=got_through)``. What each
process of several counted travels with its reports, and is summed where they are printed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import pytest

PROPERTY = "security"
Scorecard = Callable[..., None]
TOTALS = pytest.StashKey[dict[str, list[int]]]()


@pytest.fixture
def scorecard(request: pytest.FixtureRequest) -> Scorecard:
    """scorecard(line, tried=60, broke=0) adds to a line of the card; what broke fails the test, too.

    ``broke`` is a number, or better a collection, whose members the failure names.
    """

    def add(line: str, *, tried: int, broke: int | Collection[object]) -> None:
        broken, named = (broke, "") if isinstance(broke, int) else (len(broke), ", ".join(map(str, broke)))
        assert tried > 0, f"{line}: nothing was tried"
        request.node.user_properties.append((PROPERTY, (line, tried, broken)))
        assert not broken, f"{line}: {broken} of {tried} broke it: {named}"

    return add


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make security` takes: what adds to the card, and what lies beside this file."""
    for item in items:
        if "scorecard" in item.fixturenames or item.path.parent.name == "security":
            item.add_marker("security")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TOTALS] = {}
    config.pluginmanager.register(Counter(config.stash[TOTALS]))


class Counter:
    """Sums what the reports bring; in a process that prints nothing, for nobody."""

    def __init__(self, totals: dict[str, list[int]]) -> None:
        self.totals = totals

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # the report of the last phase has the properties of all of them
        if report.when != "teardown":
            return
        for name, value in report.user_properties:
            if name == PROPERTY:
                line, tried, broken = value
                total = self.totals.setdefault(line, [0, 0])
                total[0] += tried
                total[1] += broken


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The card, at the end of each run in which something was tried."""
    if not (totals := config.stash[TOTALS]):
        return
    terminalreporter.section("security scorecard")
    for text in rows(totals):
        terminalreporter.write_line(text)


def rows(totals: dict[str, list[int]]) -> list[str]:
    """One text for each line of the card, in alphabetical order; what broke stands out."""
    width = max(map(len, totals))
    return [
        f"{line:<{width}}  tried {tried:>9,}  failed to break {tried - broken:>9,}"
        + (f"  BROKE {broken:,}" if broken else "")
        for line, (tried, broken) in sorted(totals.items())
    ]
