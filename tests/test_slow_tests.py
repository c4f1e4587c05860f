"""What `make quick` leaves out is still there, and most is not left out."""

import re
from pathlib import Path

import pytest

from tests.slow_tests import Noting, noted

HERE = Path(__file__).parent


def test_each_of_them_is_a_test_function():
    defined = {
        (str(file.relative_to(HERE.parent)), name)
        for file in HERE.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)
    }
    # methods of a suite that several classes share stand in the suite's file
    gone = [name for name in noted() if name.count("::") == 1 and tuple(name.split("::")) not in defined]
    assert gone == []


def test_a_function_is_slow_in_the_mean_of_its_cases():
    def ran(name: str, seconds: float, when: str = "call") -> pytest.TestReport:
        return pytest.TestReport(name, ("", 0, ""), {}, "passed", None, when, duration=seconds)

    reports = [
        ran("a.py::slow[1]", 0.1),
        ran("a.py::slow[2]", 0.7),
        ran("a.py::quick[1]", 0.1),
        ran("a.py::quick[2]", 0.4),
        ran("a.py::quick[2]", 0.05, "teardown"),
        ran("a.py::waits", 0.4, "setup"),
        ran("a.py::waits", 0.1),
    ]
    assert Noting([]).slow_of(reports) == {"a.py::slow", "a.py::waits"}


def test_what_a_file_makes_at_length_makes_all_slow_that_use_it():
    noting = Noting([])
    noting.sharing = {"a.py::first": "a.py", "a.py::second": "a.py", "b.py::other": "b.py"}
    made = pytest.TestReport("a.py::first", ("", 0, ""), {}, "passed", None, "setup", duration=2)
    assert noting.slow_of([made]) == {"a.py::first", "a.py::second"}
