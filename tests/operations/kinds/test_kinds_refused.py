"""A kind of operation that cannot work is refused when it is made known, in one sentence."""

import io
from contextlib import redirect_stdout

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.options import CANARY, RATE, Option
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.fields import WholeNumber


class Park(Kind):
    name, label = "park", "Park"
    takes = (S.PENDING,)
    statement = sql("pages.move")


@pytest.fixture(autouse=True)
def as_before():
    before = kinds.names()
    yield
    for name in set(kinds.names()) - set(before):
        kinds.forget(name)


def kind(**attributes):
    return type("Park", (Park,), attributes)()


def days(name="days", **other):
    values = {"label": "Days", "help": "so many", "what": "The days", "low": 1, "high": 9}
    return WholeNumber(name=name, is_required=False, **(values | other))


def number(name="days", **other):
    return Option(field=days(name, **other))


def refused(wrong):
    before = kinds.names()
    with pytest.raises(ImproperlyConfigured) as caught:
        kinds.register(wrong)
    assert kinds.names() == before
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("name", ["", "park2", "park-it", "park it", "Park", "ä", "a" * 17, "park\n", None])
def test_a_name_that_the_table_refuses(name):
    assert "1 to 16 small letters or _" in refused(kind(name=name))


@pytest.mark.parametrize("name", ["list", "count", "show", "pause", "resume", "cancel", "approve", "refuse"])
def test_the_name_of_a_verb(name):
    assert "does by itself" in refused(kind(name=name))


@pytest.mark.parametrize("name", ["revive", "export", "undo"])
def test_the_name_of_another_kind(name):
    assert f"“{name}” has the name of another one, dlqconsole." in refused(kind(name=name))


def test_the_same_class_again_takes_its_own_place():
    kinds.register(Park())
    again = kinds.register(Park())
    assert kinds.get("park") is again


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"takes": ()}, "takes no dead letter"),
        ({"takes": ("WAITING",)}, "“WAITING” in its takes"),
        ({"statement": ""}, "does no work"),
        ({"statement": "SELECT 1"}, "has as its statement one without {held}"),
        ({"statement": "WITH {held}, outcomes AS (SELECT 1)"}, "has as its statement one without {settle}"),
        ({"undo_statement": "WITH {held}, {settle}"}, "has as its undo_statement one without outcomes"),
        ({"typed_count": "sometimes"}, "“sometimes” as its typed_count"),
    ],
)
def test_what_it_says_about_itself(attributes, words):
    assert words in refused(kind(**attributes))


def test_something_else_than_a_kind():
    assert "a subclass of Kind" in refused(Park)


@pytest.mark.parametrize(
    "name",
    [
        *("reason", "type", "limit", "because", "json", "operation", "status", "all", "ids", "id", "version"),
        *("help", "settings", "scope", "filter", "expected", "request_key", "kind", "since", "q", "wait"),
        *("minutes", "name", "trigger", "per_day", "do", "tells_owner"),
    ],
)
def test_an_option_with_a_name_that_is_taken(name):
    sentence = refused(kind(options=(number(name),)))
    assert f"“{name}”, a name that forms or the command use" in sentence or "part of the filter" in sentence


@pytest.mark.parametrize("name", ["", "2days", "so-many", "so many", "Days", "_days", "a" * 41])
def test_an_option_with_a_name_that_nothing_can_carry(name):
    assert "small letters, digits and _" in refused(kind(options=(number(name),)))


@pytest.mark.parametrize(
    "options",
    [
        (number(), number()),
        (CANARY, number("canary_probes")),
    ],
)
def test_two_options_of_one_name(options):
    assert "has two options called" in refused(kind(options=options))


@pytest.mark.parametrize("name", ["canary", "to_queue", "format"])
def test_an_option_of_another_sort_than_that_of_another_kind(name):
    assert f"“{name}”, and another kind has one of another sort" in refused(kind(options=(number(name),)))


def test_a_flag_of_another_kinds_option():
    options = (number("canary_probes"),)
    assert "on the command line, and another kind has one" in refused(kind(options=options))


def test_a_percent_sign_in_an_options_help_is_one():
    kinds.register(kind(options=(RATE, number(help="100 % of so many (%d)"))))
    out = io.StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit):
        call_command("deadletters", "--help")
    text = " ".join(out.getvalue().split())
    assert "100 % of so many (%d)" in text
    assert "1 %, 10 %, the rest" in text


def test_all_kinds_of_ours_pass():
    for each in kinds.every():
        assert kinds.register(each) is each
