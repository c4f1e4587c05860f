"""Each column of the list says how wide it is: one that does not would take its room from the reason."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dlqconsole.console.parts.list_layout import COLUMNS, USUAL_COLUMNS

CHECKOUT = Path(__file__).parents[3]
CLASSES = {
    "status": "c-status", "type": "c-type", "category": "c-cat", "queue": "c-queue", "tries": "c-tries",
    "next_try": "c-next", "last_failure": "c-last", "dead_since": "c-age",
}  # fmt: skip


class Rows(HTMLParser):
    """The first class of each cell of the list, by row; the reason has no class in the head."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[list[str]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.found.append([])
        elif tag in ("th", "td"):
            self.found[-1].append((dict(attrs).get("class") or "reason").split()[0])


def rows(client, address: str) -> list[list[str]]:
    return Rows(client.get(address).content.decode()).found


def test_each_column_but_the_reason_has_a_width(viewer, letter):
    letter()
    css = (CHECKOUT / "static/console/console.css").read_text(encoding="utf-8")
    wide = set(re.findall(r"^\.letters \.(c-\w+) { width: ", css, re.MULTILINE))
    head = rows(viewer, f"/dead-letters/?columns={','.join(COLUMNS)}")[0]
    assert [name for name in head if name not in wide] == ["reason"]


@pytest.mark.parametrize("columns", [USUAL_COLUMNS, COLUMNS, *((name,) for name in COLUMNS)])
def test_head_and_rows_have_the_columns_that_were_chosen(viewer, letter, columns):
    letter()
    head, row = rows(viewer, f"/dead-letters/?columns={','.join(columns)}")
    assert head == row
    assert set(head) == {"c-check", "c-id", "reason", *(CLASSES[name] for name in columns)}


def test_the_menu_has_each_column_ticked_that_stands_there(viewer, letter):
    page = viewer.get("/dead-letters/?columns=queue,last_failure").content.decode()
    boxes = re.findall(r'name="columns" value="(\w+)"( checked)?', page)
    assert [name for name, _ticked in boxes] == list(COLUMNS)
    assert [name for name, ticked in boxes if ticked] == ["queue", "last_failure"]
