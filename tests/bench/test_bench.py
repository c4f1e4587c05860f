"""The bench itself still runs: every section, at its smallest, gives a figure for every cell."""

import importlib
import os
import subprocess
import sys
from types import ModuleType

import pytest

from tests import starting
from tests.bench.report import Goal, Report
from tests.bench.sizes import TINY
from tests.sizes import SOAK

# each starts Spark several times
OF_SPARK = ("P1", "P2", "P3", "P4")


@pytest.fixture
def bench() -> ModuleType:
    """``make bench`` itself, where what it compares with is installed."""
    for name in ("pgmq", "pgqueuer", "procrastinate", "uvloop"):
        pytest.importorskip(name, reason=f"{name} is not installed here; make bench installs it")
    return importlib.import_module("tests.bench.__main__")


class Forked(starting.Popen):
    """Without the imports of forty processes. The fork server sees to it that a process dies with us."""

    def __init__(self, args: list[str], **options: object) -> None:
        if args[0] == sys.executable:
            options.pop("preexec_fn", None)
        super().__init__(args, **options)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")  # as the bench's own processes have it
    starting.server_of(os.getpid())  # it stays
    monkeypatch.setattr(subprocess, "Popen", Forked)


@pytest.mark.slow
def test_every_section_gives_figures_and_leaves_no_process_behind(bench, forked):
    before = children()
    report = Report("tiny")
    names = [name for name in bench.NAMES if SOAK or name not in OF_SPARK]
    bench.run(TINY, names, report)
    assert {goal.id for goal in report.goals} == set(names)
    assert all(goal.results for goal in report.goals)
    figures = [value for table in report.tables for row in table.rows.values() for value in row.values()]
    assert all(len(values) >= TINY.repetitions for values in figures)
    assert "Q10" in report.summary()
    assert report.as_json()["goals"][0]["repetitions"]
    assert children() == before


def test_a_miss_is_a_miss():
    assert not Goal("Q1", "x", 1.5, [1.2, 1.49, 1.6]).reached
    assert Goal("Q1", "x", 1.5, [1.2, 1.5, 1.6]).reached
    assert not Goal("Q9", "x", 0.3, [0.31], at_most=True).reached


def children() -> set[str]:
    """The processes that we started and that still live."""
    with open(f"/proc/self/task/{os.getpid()}/children") as listed:
        return set(listed.read().split())
