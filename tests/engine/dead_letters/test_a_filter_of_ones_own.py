"""A new part of the filter is one row: list, form, chips, command line and operations know it."""

import io

import pytest
from django.core.management import call_command
from django.db.models import Q

from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters.filter_parts import PARTS, FilterPart
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.operations.requests.preview import preview
from dlqconsole.operations.requests.scope import Matching


@pytest.fixture
def by_class(monkeypatch):
    part = FilterPart(
        name="class",
        label="error class is",
        title="Error class",
        condition=lambda value: Q(error_class=value),
    )
    monkeypatch.setattr("dlqconsole.engine.dead_letters.all_parts.PARTS", [*PARTS, part])
    monkeypatch.setattr("dlqconsole.console.parts.shown_filter.PARTS", [part, *PARTS])


@pytest.fixture
def letters(by_class, letter):
    return [letter(error_reason=f"{name}: no") for name in ("Away", "Away", "Refused")]


def test_the_list_its_form_and_its_chips_know_it(letters, viewer):
    page = viewer.get("/dead-letters/", {"class": "Away"}).content.decode()
    assert "2 matching" in page
    assert 'id="f-class"' in page
    assert "error class is" in page


def test_the_command_line_knows_it(letters):
    out = io.StringIO()
    call_command("deadletters", "count", "--class", "Away", stdout=out)
    assert out.getvalue().strip() == "2"


def test_an_operation_is_over_what_it_means(letters):
    assert preview("discard", Matching(DeadLetterFilter.parse({"class": "Refused"}))).total == 1


def test_its_text_is_checked_like_every_other(by_class):
    with pytest.raises(InvalidFilter, match=r"class holds a NUL"):
        DeadLetterFilter.parse({"class": "a\x00"})
