"""Each command of manage.py asks who runs it, but for those that no person is asked for."""

from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

from tests.of_features import all_of

# they serve, or look after the machine and its database: docs/security.md names them
FOR_NOBODY = {
    "check_production", "consume", "ensure_demo_users", "first_administrator", "grants", "migrate", "relay",
    "rollups", "send", "token", "work", "workers", *all_of("FOR_NOBODY"),
}  # fmt: skip
READS = [
    ("attach", "--list"), ("breakers",), ("breakers", "list"),
    ("deadletters", "count"), ("deadletters", "list"), ("deadletters", "show", "1"),
    ("deadletters", "export", "--all"), ("handlers",), ("handover",), ("index",),
    ("queues",), ("queues", "show", "x"),
    ("schedule",), ("schedule", "show"), ("schedule", "preview", "--type", "x"),
    *all_of("READS"),
]  # fmt: skip


def ours() -> list[str]:
    return sorted(name for name, app in get_commands().items() if str(app).startswith("dlqconsole."))


def parsers(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    """A command's parser and those of its verbs."""
    yield parser
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            yield from action.choices.values()


def test_every_verb_of_every_command_takes_a_token():
    without = set()
    for name in ours():
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        if any("--token-file" not in each._option_string_actions for each in parsers(parser)):
            without.add(name)
    assert without == FOR_NOBODY


@pytest.mark.django_db
@pytest.mark.parametrize("verb", [[], ["list"]])
@pytest.mark.parametrize("command", [words[0] for words in READS if (*words, "list") in READS])
def test_a_file_may_be_named_before_the_verb_and_behind_it(command, verb, tmp_path):
    file = ["--token-file", str(tmp_path / "none")]
    for words in ([*file, *verb], [*verb, *file]):
        with pytest.raises(CommandError, match="The token file cannot be read"):
            call_command(command, *words)


@pytest.mark.django_db
@pytest.mark.parametrize("words", READS)
def test_a_token_that_proves_nothing_ends_what_only_looks(words, settings, capsys):
    settings.DLQ_TOKEN = "dlq_nonsense"
    with pytest.raises(CommandError, match="This token is not known here"):
        call_command(*words)
    assert capsys.readouterr().out == ""


def test_each_command_that_looks_is_tried():
    changes = {"move", "release_sign_in", "remove", "retry_due"}
    assert {words[0] for words in READS} == {*ours()} - FOR_NOBODY - changes
