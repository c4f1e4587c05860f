"""Whoever confirms what a search found acts on what the page showed, however much is searched by then."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command

from dlqconsole.engine.dead_letters import searching
from dlqconsole.operations.models import Operation
from tests.operations.conftest import work

pytestmark = pytest.mark.django_db(transaction=True)
# longer than what a person's search looks at by itself
LONG = {"note": "x" * 5_000}
LATER = "4 more are so new that no worker has looked at the texts yet"


@pytest.fixture
def flood(letter) -> None:
    """Three that a search finds, and four of the same sort that no worker has looked at."""
    for _ in range(3):
        letter(error_reason="Gnu on the road")
    searching.look(seconds=60)
    for _ in range(4):
        letter(payload=LONG, error_reason="Gnu on the road")


def confirm_page(operator) -> dict[str, Any]:
    asked = {"kind": "discard", "scope": "all", "filter": "reason=Gnu"}
    answer = operator.post("/dead-letters/operations/", asked)
    assert LATER in answer.text
    return answer.context["preview"]


def confirm(operator, shown: dict[str, Any], **fields: Any) -> Operation | None:
    sent = {"kind": "discard", "reason": "a test", "request_key": uuid4(), "typed_count": shown["eligible"]}
    before = set(Operation.objects.values_list("pk", flat=True))
    operator.post("/operations/", sent | dict(shown["hidden"]) | fields)
    return Operation.objects.exclude(pk__in=before).first()


def selected(operation: Operation) -> tuple[int, int]:
    work()
    operation.refresh_from_db()
    return operation.selected, operation.unsearched


def test_what_is_searched_after_the_page_was_made_is_no_part_of_it(operator, flood, letter):
    shown = confirm_page(operator)
    assert shown["eligible"] == 3
    letter(error_reason="Gnu once more")
    searching.look(seconds=60)
    operation = confirm(operator, shown)
    assert selected(operation) == (3, 5)
    assert operation.selection_note == ""
    assert operation.unsearched_note.startswith("5 dead letters were so new")


def test_nor_is_what_is_searched_before_the_selection_is_made(operator, flood):
    operation = confirm(operator, confirm_page(operator))
    searching.look(seconds=60)
    assert selected(operation) == (3, 4)


def test_a_page_that_is_looked_at_again_counts_again(operator, flood):
    shown = confirm_page(operator)
    searching.look(seconds=60)
    again = operator.post("/dead-letters/operations/", {"kind": "discard", **dict(shown["hidden"])})
    assert again.context["preview"]["eligible"] == 7
    assert LATER not in again.text
    assert selected(confirm(operator, again.context["preview"])) == (7, 0)


def test_a_form_that_says_a_moment_to_come_means_now(operator, flood):
    shown = confirm_page(operator)
    operation = confirm(operator, shown, searched_to="2999-01-01T00:00:00+00:00")
    searching.look(seconds=60)
    assert selected(operation) == (3, 4)


@pytest.mark.parametrize("moment", ["", "yesterday", "2026-13-01", "2026-01-01T00:00:00", "\x00"])
def test_a_form_that_lost_its_moment_makes_nothing(operator, flood, moment):
    assert confirm(operator, confirm_page(operator), searched_to=moment) is None


def test_the_list_says_what_a_search_passes_over(viewer, flood):
    assert LATER in viewer.get("/dead-letters/?reason=Gnu").text
    assert "so new" not in viewer.get("/dead-letters/?category=TRANSIENT").text
    searching.look(seconds=60)
    assert "so new" not in viewer.get("/dead-letters/?reason=Gnu").text


def test_so_does_the_command_line(flood, capsys):
    call_command("deadletters", "count", "--reason", "Gnu")
    said = capsys.readouterr()
    assert (said.out, LATER in said.err) == ("3\n", True)
    call_command("deadletters", "discard", "--reason", "Gnu", "--because", "a test")
    assert LATER in capsys.readouterr().err
    searching.look(seconds=60)
    assert selected(Operation.objects.get()) == (3, 4)
