"""What a search passes over, because nobody has looked at its texts yet, is counted on the receipt."""

import json

import pytest

from dlqconsole.engine.dead_letters import searching
from dlqconsole.engine.reach import EVERYTHING, Reach
from dlqconsole.operations import visibility
from dlqconsole.operations.models import Operation
from tests.operations.conftest import ask, counts, work

pytestmark = pytest.mark.django_db(transaction=True)
# longer than what a person's search looks at by itself
LONG = json.dumps({"note": "x" * 5_000})


@pytest.fixture
def flood(letters) -> None:
    """Three that were looked at, and three whose turn has not come, of which one is of another type."""
    letters(3)
    searching.look(seconds=60)
    letters(2, payload=LONG)
    letters(1, "user.created", payload=LONG)


def receipt(reach: Reach = EVERYTHING, **filter: str) -> Operation:
    operation = ask("discard", filter=filter, expected=3, reach=reach)
    work()
    operation.refresh_from_db()
    return operation


def test_a_search_says_how_many_it_passed_over(flood):
    operation = receipt(reason="no", type="order.created")
    assert (counts(operation)[1], operation.unsearched) == (3, 2)
    assert operation.unsearched_note == (
        "2 dead letters were so new that no worker had looked at the texts when this was counted: a search"
        " found none of them, so they are not part of it."
    )
    assert receipt(reason="no", type="user.created").unsearched_note.startswith("1 dead letter was so new")


def test_each_window_counts_its_own(flood, monkeypatch):
    monkeypatch.setattr("dlqconsole.operations.freezing.FIRST_WINDOW", 1)
    assert receipt(q="Refused").unsearched == 3


def test_what_looks_into_no_texts_passes_over_nothing(flood):
    operation = receipt(type="order.created")
    assert (operation.selected, operation.unsearched, operation.unsearched_note) == (5, 0, "")


def test_who_is_limited_counts_within_reach_and_is_told_no_other_number(flood):
    orders = Reach.of([("order.created", "order.created")])
    everybodys, theirs = receipt(reason="no"), receipt(reach=orders, reason="no")
    assert (everybodys.unsearched, theirs.unsearched) == (3, 2)
    told = visibility.told([everybodys, theirs], orders)
    assert [(row.is_part, row.unsearched) for row in told] == [(False, 0), (False, 2)]


def test_the_receipt_says_it(flood, viewer):
    operation = receipt(reason="no")
    assert "were so new that no worker had looked" in viewer.get(f"/operations/{operation.pk}/").text
