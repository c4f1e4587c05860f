"""A pytest plugin: DLQ_TEST_CPU=1 prints what each test file and test took of the processors, dearest first.

Wall time says little of a suite whose limit is two processors. Counted is this process and all that it has
started: Java, browsers, consumers. Where several processes run the tests, a test's sessions of the database
that last until its end are counted with it; the rest of the servers is in the sum alone.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

# of files, and of tests
PRINTED = 45
TICKS = os.sysconf("SC_CLK_TCK")
Process = tuple[int, str, int]


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("DLQ_TEST_CPU"):
        config.pluginmanager.register(Meter())


class Meter:
    """Each process of a run notes its own tests; the one that prints reads what all have noted."""

    def __init__(self) -> None:
        self.notes = Path(os.environ["DLQ_TEST_HOME"], "processor_time")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[object]:
        before = processes()
        try:
            return (yield)
        finally:
            after = processes()
            ticks = _tree(after) - _tree(before) + _of_sessions(before, after)
            with self.notes.open("a") as notes:
                notes.write(f"{max(0, ticks) / TICKS} {item.nodeid!r}\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        files: Counter[str] = Counter()
        tests: Counter[str] = Counter()
        for line in self.notes.read_text().splitlines():
            seconds, _, name = line.partition(" ")
            tests[name] += float(seconds)
            files[name.partition("::")[0]] += float(seconds)
        whole = _tree(processes()) / TICKS
        terminalreporter.section("processor time")
        terminalreporter.write_line(f"{whole:9.1f} s in all, {tests.total():.1f} of it in the tests below")
        for name, seconds in [*files.most_common(PRINTED), *tests.most_common(PRINTED)]:
            terminalreporter.write_line(f"{seconds:9.1f} s {name}")


def processes() -> dict[int, Process]:
    """Of each process its parent, its name, and the ticks that it and its ended children took."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            head, _, tail = Path("/proc", pid, "stat").read_text(errors="replace").rpartition(")")
        except OSError:
            continue
        fields = tail.split()
        found[int(pid)] = int(fields[1]), head.partition("(")[2], sum(map(int, fields[11:15]))
    return found


def _tree(found: dict[int, Process]) -> int:
    """What this process and its descendants took."""
    ours = {os.getpid()}
    # a parent may have the larger number
    while more := {pid for pid, (parent, *_) in found.items() if parent in ours} - ours:
        ours |= more
    return sum(found[pid][2] for pid in ours)


def _of_sessions(before: dict[int, Process], after: dict[int, Process]) -> int:
    """What the sessions of this process's database took, where the server is not among our descendants."""
    name = os.environ["DLQ_TEST_PROCESS"]
    if name == "alone":
        return 0
    ours = f"test_{os.environ['DLQ_TEST_RUN']}_{name} "
    return sum(
        ticks - before.get(pid, (0, "", 0))[2]
        for pid, (_, program, ticks) in after.items()
        if program == "postgres" and ours in _title(pid)
    )


def _title(pid: int) -> str:
    try:
        return Path("/proc", str(pid), "cmdline").read_text(errors="replace")
    except OSError:
        return ""
