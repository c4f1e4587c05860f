"""manage.py deadletters refuses what a verb does not take, and never narrows or widens what was typed."""

import json

import pytest

from dlqconsole.console.operations.command_verbs import _every_name
from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.operations.models import Operation, OperationItem
from tests.console.parts.test_bad_command_lines import USAGE, WHY, ended, parser_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_worker")]


def refused(*arguments: str) -> str:
    """The sentence of a command line that is asked wrongly, and changes nothing."""
    status, sentence = ended("deadletters", *arguments)
    assert status == USAGE, (arguments, sentence)
    assert not Operation.objects.exists()
    assert not AuditEntry.objects.exists()
    return sentence


def test_every_option_belongs_to_a_verb():
    """An option that no verb declares would be ignored silently."""
    declared = {action.dest for action in parser_of("deadletters")._actions}
    of_django = {action.dest for action in parser_of("rollups")._actions} - {"json"}
    # every verb takes who one is
    assert declared - of_django - {"verb", "token_file"} == set(_every_name())


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("discard", "--type", "a", "--limit", "5"), "--limit"),
        (("discard", "--type", "a", "--unmasked"), "--unmasked"),
        (("discard", "--type", "a", "--output", "F"), "--output"),
        (("discard", "--type", "a", "--format", "csv"), "--format"),
        (("discard", "--type", "a", "--as-operation"), "--as-operation"),
        (("discard", "--type", "a", "--to-queue", "x"), "--to-queue"),
        (("undo", "2", "--to-queue", "foo"), "--to-queue"),
        (("undo", "2", "--type", "a"), "--type"),
        (("undo", "2", "--outcome", "done"), "--outcome"),
        (("pause", "2", *WHY), "--because"),
        (("pause", "2", "--typed-count", "3"), "--typed-count"),
        (("export", "--type", "a", "--limit", "3"), "--limit"),
        (("export", "1", "--to-queue", "x"), "--to-queue"),
        (("export", "1", "--rate", "4"), "--rate"),
        (("export", "--all", "--as-operation", "--output", "F", *WHY), "--output"),
        (("count", "--all", "--rate", "5"), "--rate"),
        (("count", "--all", "--to-queue", "x"), "--to-queue"),
        (("count", "--all", "--canary"), "--canary"),
        (("count", "--all", "--canary-probes", "0"), "--canary-probes"),
        (("count", "--all", "--limit", "0"), "--limit"),
        (("count", "--all", "--wait"), "--wait"),
        (("list", "--unmasked"), "--unmasked"),
        (("show", "7", "--type", "a"), "--type"),
        (("edit", "7", "--payload-file", "-", "--recipe", "r"), "--recipe"),
        (("edit", "7", "--payload-file", "-", "--rate", "3"), "--rate"),
    ],
)
def test_an_option_that_the_verb_does_not_take_is_refused(arguments, option):
    why = WHY if arguments[0] == "discard" else ()
    sentence = refused(*arguments, *why)
    assert sentence.startswith(f"deadletters {arguments[0]} ")
    assert sentence.endswith(f"has no option {option}.")


@pytest.mark.parametrize("option", [("--operation", "4"), ("--unmasked",), WHY, ("--typed-count", "2")])
def test_an_export_says_that_it_is_another_as_an_operation(option):
    sentence = f"deadletters export has no option {option[0]}; deadletters export --as-operation has it."
    assert refused("export", "--output", "-", *option) == sentence


@pytest.mark.parametrize("verb", ["discard", "list", "count", "export"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("7", "--reason", "NoSuchThing"), "an ID or --reason"),
        (("7", "--all"), "an ID or --all"),
        (("--id", "7", "--payload", "a=1"), "--id or --payload"),
        (("--all", "--reason", "X"), "--reason or --all"),
    ],
)
def test_two_ways_to_say_which_are_meant_are_refused(verb, arguments, words):
    why = WHY if verb == "discard" else ()
    assert f"deadletters {verb} takes {words}, not both" in refused(verb, *arguments, *why)


@pytest.mark.parametrize("other", [("--type", "a"), ("7",), ("--all",)])
def test_the_items_of_an_operation_are_a_way_of_their_own(other):
    assert "--operation, not both" in refused("discard", *other, "--operation", "1", *WHY)


def test_an_option_that_needs_another_is_refused_alone():
    assert refused("retry", "7", "--outcome", "done", *WHY) == "--outcome without --operation: add it."
    assert refused("show", "7", *WHY) == "--because without --unmasked: add it."


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--status", "PENDING", "--status", "EXHAUSTED"),
        ("revive", "--all", *WHY, "--undo-seconds", "3", "--undo-seconds", "4"),
        ("revive", "--all", *WHY, "--to-queue", "a", "--to-queue", "b"),
        ("discard", "--all", *WHY, *WHY),
    ],
)
def test_a_value_given_twice_is_refused(arguments):
    assert "is given twice" in refused(*arguments)


@pytest.mark.parametrize("nothing", ["", " ", "\t"])
@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("count",), "--reason"),
        (("discard", "--type", "a", *WHY), "--queue"),
        (("revive", "--all", *WHY), "--rate"),
        (("revive", "--all", *WHY), "--to-queue"),
        (("revive", "--all", *WHY, "--canary"), "--canary-probes"),
        (("edit", "7", *WHY), "--payload-file"),
        (("reclassify", "--all", *WHY), "--to-category"),
        (("export",), "--output"),
        (("discard", "--all"), "--because"),
    ],
)
def test_an_option_with_nothing_in_it_is_refused(letter, arguments, option, nothing):
    """An unset variable of a shell must not widen what is asked for."""
    letter("a")
    assert f"argument {option}: nothing is in it" in refused(*arguments, option, nothing)
    assert DeadLetter.objects.get().version == 1


def test_the_items_of_an_operation_can_be_looked_at(letter, capsys):
    """The count is the number that an operation over them would act on."""
    first, second = letter("a"), letter("a")
    ended("deadletters", "discard", "--type", "a", *WHY)
    operation = Operation.objects.get()
    for letter_id, status in ((first, "failed"), (second, "done")):
        OperationItem.objects.create(operation=operation, dead_letter_id=letter_id, status=status)
    capsys.readouterr()
    of = ("--operation", str(operation.pk))
    assert ended("deadletters", "count", *of)[0] == 0
    assert ended("deadletters", "list", *of, "--outcome", "done", "--json")[0] == 0
    number, row = capsys.readouterr().out.splitlines()
    assert (number, json.loads(row)["id"]) == ("1", second)
    assert "There is no operation 999." in ended("deadletters", "list", "--operation", "999")[1]
