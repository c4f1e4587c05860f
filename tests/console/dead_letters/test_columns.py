"""Each column of the list says how wide it is: one that does not would take its room from the reason."""

import re
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
CELL = re.compile(r"<(?:th|td)\b[^>]*?\bclass=\"([^\"]+)\"|<(?:th|td)\b")


def cells(part: str) -> list[str]:
    """The class of each cell of the table's head or body; the reason's is "" above and "reason" below."""
    text = (CHECKOUT / "templates/console/dead_letters/results.html").read_text(encoding="utf-8")
    (table,) = re.findall(rf"<{part}>(.*?)</{part}>", text, re.DOTALL)
    return [match[1].split()[0] if match[1] else "" for match in CELL.finditer(table)]


def test_each_column_but_the_reason_has_a_width():
    css = (CHECKOUT / "static/console/console.css").read_text(encoding="utf-8")
    wide = set(re.findall(r"^\.letters \.(c-\w+) { width: ", css, re.MULTILINE))
    assert [name for name in cells("thead") if name not in wide] == [""]


def test_head_and_rows_have_the_same_columns():
    assert [name or "reason" for name in cells("thead")] == cells("tbody")
