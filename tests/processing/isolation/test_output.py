"""Of what a handler prints, 64 KiB an event are passed on; one line says how much was cut, and of which."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dlqconsole.processing.isolation import HandlerProcesses
from dlqconsole.processing.isolation.output import LIMIT, LITTLE
from tests.processing.isolation.test_isolation import POISONS, run
from tests.waiting import eventually

CUT = re.compile(r"^… (.+) more were cut: event (.*)$", re.MULTILINE)


@pytest.fixture
def file(tmp_path):
    """Return the file for the processes' output."""
    return tmp_path / "output"


@pytest.fixture
def said(file):
    """said(words) gives all that was passed on by the moment in which these were."""

    def until(words: str) -> str:
        eventually(lambda: words in file.read_text(), 60)
        return file.read_text()

    return until


@pytest.fixture
def processes(file):
    with passed_on_to(file), HandlerProcesses(f"{POISONS}:call", 2) as processes:
        yield processes


@contextmanager
def passed_on_to(file: Path) -> Iterator[None]:
    """Give the file as output to what is started in this block."""
    ours = {number: os.dup(number) for number in (1, 2)}
    with file.open("ab") as theirs:
        for number in ours:
            os.dup2(theirs.fileno(), number)
    yield
    for number, before in ours.items():
        os.dup2(before, number)
        os.close(before)


def test_much_is_cut_and_one_line_says_so(processes, said):
    assert run(processes, "print_much", "42", 1_000_000) == "printed"
    text = said("event order.created 42\n")
    [(size, _event)] = CUT.findall(text)
    assert size == "3.9 MB"
    assert LIMIT <= len(text) < LIMIT + 200
    assert set("pl") & set(text)


def test_little_is_passed_on_whole_and_the_next_event_may_print_as_much(processes, said):
    much = LIMIT - LITTLE
    for name in ("1", "2", "3"):
        assert run(processes, "say", name, name * much) == "said"
    text = said("3" * much)
    assert [text.count(name) for name in ("1", "2", "3")] == [much] * 3
    assert not CUT.findall(text)


def test_a_loud_event_takes_nothing_from_the_quiet_one_after_it(processes, said):
    for number in range(20):
        run(processes, "print_much", f"loud-{number}", 200_000)
        run(processes, "say", f"quiet-{number}", f"I am {number}.")
    text = said("I am 19.")
    assert all(f"I am {number}." in text for number in range(20))
    assert [event for _size, event in CUT.findall(text)] == [
        f"order.created loud-{number}" for number in range(20)
    ]


@pytest.mark.parametrize("then", ["leave", "crash", "hang"])
def test_who_dies_of_it_is_told_of_as_well(processes, said, then):
    death = run(processes, "print_much", "43", 300_000, then, seconds=5.0)
    assert death.error_class in ("HandlerDied", "HandlerTimeout")
    assert CUT.findall(said("event order.created 43\n"))


def test_who_prints_without_end_fills_nothing(processes, said):
    """Its time limit ends it; meanwhile it wrote what would have been many megabytes."""
    death = run(processes, "print_for_ever", "44", seconds=1.0)
    assert death.error_class == "HandlerTimeout"
    text = said("event order.created 44\n")
    [(size, _event)] = CUT.findall(text)
    assert size.endswith("MB")
    assert len(text) < LIMIT + 200
