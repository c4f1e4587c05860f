"""Parts that cannot be one filter are refused when they are put together, in one sentence."""

from decimal import Decimal

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db.models import F, Q

from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters.filter_parts import PARTS, FilterPart
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.part_rules import check_parts


def part(name="shop", **other):
    return FilterPart(name=name, **({"label": "shop is", "condition": lambda value: Q(pk=value)} | other))


def refused(*parts):
    with pytest.raises(ImproperlyConfigured) as caught:
        check_parts([*PARTS, *parts], dir(DeadLetterFilter), ["id", "payload"])
    return str(caught.value)


@pytest.mark.parametrize("name", ["a-b", "", "2nd", "Shop", "a b", "ä", "_x", "a" * 41])
def test_a_name_that_no_command_line_can_bear(name):
    assert "small letters, digits and _" in refused(part(name))


@pytest.mark.parametrize(
    "name", ["json", "limit", "ids", "payload", "help", "size", "cursor", "words", "parse"]
)
def test_a_name_that_is_taken(name):
    assert refused(part(name)) == (
        f"The filter has a part “{name}”, a name that addresses, the command or the filter itself use."
    )


def test_two_of_one_name():
    assert refused(part("type")) == "The filter has two parts “type”."


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"label": " "}, "without a label"),
        ({"read": None}, "cannot be called"),
        ({"condition": "pk"}, "cannot be called"),
        ({"alias": {"payload": F("id")}}, "whose alias is a column: payload"),
    ],
)
def test_what_it_says_about_itself(wrong, words):
    assert words in refused(part(**wrong))


def test_two_with_one_alias():
    twice = [part(name, alias={"place": F("id")}) for name in ("shop", "branch")]
    assert "two parts with the alias “place”" in refused(*twice)


@pytest.fixture(params=[int, Decimal, {"a": 1}.__getitem__])
def careless(request, monkeypatch):
    parts = [*PARTS, part(read=request.param)]
    monkeypatch.setattr("dlqconsole.engine.dead_letters.all_parts.PARTS", parts)


def test_a_read_that_raises_anything_is_a_sentence(careless):
    with pytest.raises(InvalidFilter) as caught:
        DeadLetterFilter.parse({"shop": "x"})
    assert caught.value.problems == ["shop cannot be understood; it is “x”."]


def test_so_it_is_on_the_command_line(careless):
    with pytest.raises(CommandError, match=r"^shop cannot be understood; it is “x”\.$"):
        call_command("deadletters", "count", "--shop", "x")
