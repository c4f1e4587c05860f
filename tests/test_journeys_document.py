"""docs/journeys.md names the test of each promise; what it names must be there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROWS = re.findall(
    r"^\| (\d+) \|.*\| `([^`]+)::([^`]+)` \|$", (ROOT / "docs/journeys.md").read_text(), re.MULTILINE
)


def test_every_rule_and_every_probe_is_in_the_tables_once():
    assert [int(number) for number, _path, _name in ROWS] == [
        *range(1, 11),
        *range(1, 9),
        *range(1, 9),
        *range(1, 6),
    ]


def test_every_test_that_the_tables_name_is_there():
    for number, path, name in ROWS:
        assert (ROOT / path).is_file(), f"row {number}: there is no {path}"
        found = re.findall(r"^def (test_\w+)", (ROOT / path).read_text(), re.MULTILINE)
        assert name in found, f"row {number}: no {name} in {path}"
