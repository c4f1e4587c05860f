"""argparse's types: a value, or one line that names the option."""

from argparse import ArgumentParser

import pytest

from dlqconsole.processing.inputs import arguments


def parser() -> ArgumentParser:
    one = ArgumentParser(prog="manage.py")
    for name in ("item_id", "count", "reason"):
        one.add_argument(f"--{name}", type=getattr(arguments, name))
    return one


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        ("item_id", "42", 42),
        ("count", "14,212", 14_212),
        ("reason", "  fixed in 4.2 ", "fixed in 4.2"),
        ("reason", " ", ""),
    ],
)
def test_what_a_command_line_takes_is_a_value(option, text, value):
    assert getattr(parser().parse_args([f"--{option}={text}"]), option) == value


@pytest.mark.parametrize(
    ("option", "text", "line"),
    [
        ("item_id", "1,000", "argument --item_id: “1,000” is no number of a row"),
        ("count", "many", "argument --count: it must be a whole number, not “many”."),
        ("reason", "x" * 2_001, "argument --reason: The reason has 2,001 characters; the limit is 2,000."),
    ],
)
def test_what_it_refuses_is_one_line(capsys, option, text, line):
    with pytest.raises(SystemExit):
        parser().parse_args([f"--{option}={text}"])
    assert capsys.readouterr().err.splitlines()[-1] == f"manage.py: error: {line}"
