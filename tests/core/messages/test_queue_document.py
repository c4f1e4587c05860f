"""docs/internals/queue.md names the test of each behaviour; what it names must be there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROWS = re.findall(r"^\| (\d+) \|.*\|([^|]*)\|$", (ROOT / "docs/internals/queue.md").read_text(), re.MULTILINE)
PLACES = ("tests/core", "tests/engine", "tests/consuming", "tests/console", "tests/languages")


def path_of(name):
    named = (found for place in PLACES for found in sorted((ROOT / place).rglob(name)))
    return ROOT / name if "/" in name and (ROOT / name).exists() else next(named, None)


def test_every_behaviour_of_the_designs_is_in_the_table_once():
    assert [int(number) for number, _tests in ROWS] == list(range(1, 54))


def test_every_test_that_the_table_names_is_there():
    for number, tests in ROWS:
        if tests.strip() == "the same":
            continue
        named = re.findall(r"`([^`]+)`(?: …([^,]+))?", tests)
        assert named, f"row {number} names no test"
        for name, words in named:
            path = path_of(name)
            assert path, f"row {number}: there is no {name}"
            if words:
                found = re.findall(r"def (test_\w+)", path.read_text())
                wanted = words.strip().replace(" ", "_")
                assert any(wanted in test for test in found), f"row {number}: no test …{words} in {name}"
