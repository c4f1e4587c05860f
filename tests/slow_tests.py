"""A pytest plugin: which test functions `make quick` leaves out because they take long.

They are those of ``slow_tests.txt``, which a whole run writes anew when asked for:
``make test ARGS=--note-slow``. A function is slow whose cases take SLOW seconds each, in the mean, while
other processes run tests beside it; and every function for which its file makes something that takes LONG.
A new one is in `make quick` until they are noted again.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from tests.spreading import sharing_file

SLOW, LONG = 0.3, 1.0
NOTED = Path(__file__).with_suffix(".txt")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--note-slow", action="store_true", help="note which tests `make quick` leaves out")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if function_of(item.nodeid) in noted():
            item.add_marker("slow")
    if config.getoption("--note-slow"):
        config.pluginmanager.register(Noting(items))


@cache
def noted() -> frozenset[str]:
    """The functions that were slow when that was noted last."""
    return frozenset(NOTED.read_text().splitlines())


class Noting:
    """Writes at the end what was slow in this run."""

    def __init__(self, items: Iterable[pytest.Item]) -> None:
        # what uses something that its file makes once, whichever of them has to wait for it
        self.sharing = {function_of(item.nodeid): file for item in items if (file := sharing_file(item))}

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        reports = [report for of_one_kind in terminalreporter.stats.values() for report in of_one_kind]
        slow = self.slow_of(report for report in reports if isinstance(report, pytest.TestReport))
        NOTED.write_text("".join(f"{name}\n" for name in sorted(slow)))
        terminalreporter.write_line(f"{len(slow):,} slow test functions are noted in {NOTED.name}.")

    def slow_of(self, reports: Iterable[pytest.TestReport]) -> set[str]:
        """The functions that are slow by these reports."""
        seconds: Counter[str] = Counter()
        cases: Counter[str] = Counter()
        long_made = set()
        for report in reports:
            name = function_of(report.nodeid)
            if report.when == "setup" and report.duration >= LONG and name in self.sharing:
                long_made.add(self.sharing[name])
            else:
                seconds[name] += report.duration
            cases[name] += report.when == "call"
        slow = {name for name, count in cases.items() if count and seconds[name] / count >= SLOW}
        return slow | {name for name, file in self.sharing.items() if file in long_made}


def function_of(nodeid: str) -> str:
    """A test's name without what it was given."""
    return nodeid.partition("[")[0]
