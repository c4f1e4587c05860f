"""Flags of declared fields: each may be given once, and not empty, whatever its default is."""

from argparse import ArgumentError, ArgumentParser

import pytest

from dlqconsole.processing.inputs.arguments import add_flags
from dlqconsole.processing.inputs.fields import Text, WholeNumber, YesNo

FIELDS = (Text(name="label", limit=10), WholeNumber(name="days"), YesNo(name="fifo"))


def given(*arguments: str, **defaults: object) -> dict[str, object]:
    parser = ArgumentParser(exit_on_error=False)
    add_flags(parser, FIELDS)
    parser.set_defaults(**defaults)
    return vars(parser.parse_args(arguments))


def test_a_given_value_takes_the_place_of_a_default():
    assert given(label="of old", days=30) == {"label": "of old", "days": 30, "fifo": None}
    assert given("--label", "mine", "--days", "7", "--no-fifo", label="of old", days=30) == {
        "label": "mine",
        "days": "7",
        "fifo": False,
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ("--label", "a", "--label", "b"),
        ("--days", "7", "--days", "7"),
        ("--fifo", "--no-fifo"),
        ("--label", " "),
    ],
)
def test_a_flag_that_is_given_twice_or_empty_is_refused(arguments):
    for defaults in ({}, {"label": "of old", "days": 30}):
        with pytest.raises(ArgumentError, match=r"is given twice|nothing is in it"):
            given(*arguments, **defaults)
