"""Every verb and option of the commands with bad values: exit 2 or 1 and one line, never a traceback."""

import sys
from functools import cache
from io import StringIO

import pytest
from django.core.management import BaseCommand, CommandError, get_commands, load_command_class
from django.core.management.base import CommandParser

from dlqconsole.console.operations.command_verbs import CONTROLS, READS, operation_verbs
from dlqconsole.engine.dead_letters.all_parts import parameters
from dlqconsole.engine.models import DeadLetter, Queue
from dlqconsole.operations.models import Operation
from tests.console.parts.test_bad_new_forms import HOSTILE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_worker")]

# no process is given a NUL; bytes that are no UTF-8 come as these
JUNK = [
    *(junk for junk in HOSTILE if "\x00" not in junk), "\udcff", "-x", "--", "1_000", " 7", "99999w",
    "31/31/2024", "0001-01-01T00:00+09:00", "9999-12-31T23:59-05:00", "((((x{1,100}){1,100}",
]  # fmt: skip
WHY = ("--because", "a test")
USAGE, FAILED = 2, 1
NOT_THERE = "999999999"


@pytest.fixture(autouse=True)
def bad_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", StringIO("not json"))


def ended(name: str, *arguments: str) -> tuple[int, str]:
    """The exit status of a command line, and what it said last; anything but an ordinary end is raised."""
    command = made(name)
    said, sys.stderr = sys.stderr, StringIO()
    try:
        # Django's checks of models and templates see no command line, and take longer than what does
        options = vars(parser_of(name).parse_args(arguments)) | {"skip_checks": True}
        command.execute(*options.pop("args", ()), **options)
        status, sentence = 0, ""
    except SystemExit as usage:
        return int(usage.code or 0), sys.stderr.getvalue().strip().splitlines()[-1]
    except CommandError as refusal:
        status, sentence = refusal.returncode, str(refusal)
    finally:
        sys.stderr = said
    assert "\n" not in sentence
    return status, sentence


def made(name: str) -> BaseCommand:
    """The command as manage.py makes it: argparse ends the process."""
    command = load_command_class(get_commands()[name], name)
    command._called_from_command_line = True
    return command


@cache
def parser_of(name: str) -> CommandParser:
    # twenty verbs with twenty options each take longer to declare than a line to parse
    return made(name).create_parser("manage.py", name)


@pytest.mark.parametrize("verb", [*operation_verbs(), *CONTROLS])
def test_a_verb_without_what_it_needs_is_usage(verb):
    assert ended("deadletters", verb)[0] == USAGE
    assert ended("deadletters", verb, *WHY)[0] == USAGE
    assert ended("deadletters", verb, "--because", " ", "7")[0] in (USAGE, FAILED)
    assert not Operation.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ((), USAGE),
        (("destroy",), USAGE),
        (("show",), USAGE),
        (("show", "x"), USAGE),
        (("show", "-1"), USAGE),
        (("show", "9" * 30), USAGE),
        (("show", NOT_THERE), FAILED),
        (("list", "--limit", "-1"), USAGE),
        (("list", "--status", "NONE"), USAGE),
        (("list", "--payload", "x"), USAGE),
        (("list", "--since", "yesterday-ish"), USAGE),
        (("export", "--format", "pdf"), USAGE),
        (("export", "--output", "/nowhere/at/all.csv"), FAILED),
        (("export", "--output", "/"), FAILED),
        (("list", "--as-operation", *WHY), USAGE),
        (("revive", "--all", *WHY, "--rate", "0"), USAGE),
        (("revive", "--all", *WHY, "--rate", "1e3"), USAGE),
        (("revive", "--all", *WHY, "--undo-seconds", "86401"), USAGE),
        (("revive", "--all", *WHY, "--to-queue", "a:b"), USAGE),
        (("revive", "--all", *WHY, "--canary-threshold", "5"), USAGE),
        (("revive", "--all", *WHY, "--canary", "0"), USAGE),
        (("revive", "--all", *WHY, "--canary", "--canary-threshold", "101"), USAGE),
        (("revive", "--all", *WHY, "--canary", "--canary-watch-seconds", "0"), USAGE),
        (("edit", "--all", *WHY), USAGE),
        (("edit", "--all", *WHY, "--recipe", "/nowhere.json"), FAILED),
        (("edit", "--all", *WHY, "--recipe", "-"), USAGE),
        (("edit", "7", "8", *WHY, "--payload-file", "-"), USAGE),
        (("edit", NOT_THERE, *WHY, "--payload-file", "-"), FAILED),
        (("edit", "7", *WHY, "--payload-file", "/"), FAILED),
        (("discard", "7", *WHY, "--payload-file", "-"), USAGE),
        (("reclassify", "--all", *WHY, "--to-category", "BAD"), USAGE),
        (("purge", "--all", *WHY, "--typed-count", "x"), USAGE),
        (("retry", *WHY, "--operation", NOT_THERE), FAILED),
        (("retry", *WHY, "--operation", "1", "--outcome", "lost"), USAGE),
        *(((verb, NOT_THERE, *(WHY if verb == "undo" else ())), FAILED) for verb in CONTROLS),
        *(((verb, "1", "2", *(WHY if verb == "undo" else ())), USAGE) for verb in CONTROLS),
        (("approve", NOT_THERE, "--typed-count", "-3"), USAGE),
    ],
)
def test_what_is_asked_wrongly_ends_with_its_status_and_one_line(letter, arguments, status):
    letter()
    found, sentence = ended("deadletters", *arguments)
    assert (found, bool(sentence)) == (status, True), sentence
    assert DeadLetter.objects.get().version == 1
    assert not Operation.objects.exists()


OPTIONS = [
    *((("list",), f"--{name}") for name in parameters()),
    *((("list",), name) for name in ("--payload", "--id", "--limit")),
    (("export",), "--format"),
    (("export",), "--output"),
    *((("revive", "--all", *WHY), name) for name in ("--rate", "--to-queue", "--undo-seconds", "--canary")),
    *((("retry", "--all", *WHY, "--canary"), f"--canary-{name}") for name in ("threshold", "watch-seconds")),
    (("edit", "--all", *WHY), "--recipe"),
    (("edit", "1", *WHY), "--payload-file"),
    (("reclassify", "--all", *WHY), "--to-category"),
    (("purge", "--all", *WHY), "--typed-count"),
    (("retry", *WHY), "--operation"),
    (("discard", "--all"), "--because"),
]


@pytest.mark.parametrize(("arguments", "option"), OPTIONS)
def test_junk_in_an_option_is_one_line(letter, tmp_path, monkeypatch, arguments, option):
    letter()
    monkeypatch.chdir(tmp_path)
    for junk in JUNK:
        status, sentence = ended("deadletters", *arguments, f"{option}={junk}")
        assert status in (0, FAILED, USAGE), junk
        assert status == 0 or (sentence and sentence.isprintable()), junk


@pytest.mark.parametrize("verb", [*READS, *operation_verbs(), *CONTROLS])
def test_junk_for_a_dead_letter_is_usage(verb):
    for junk in ("x", "1e3", "\udcff", "9" * 30):
        assert ended("deadletters", verb, junk)[0] == USAGE


@pytest.mark.parametrize(
    "arguments", [("fold", "x"), ("explode",), (), ("check", "--fast"), ("rebuild", "7")]
)
def test_rollups_takes_three_verbs_and_nothing_else(arguments):
    assert ended("rollups", *arguments)[0] == USAGE


QUEUE_OPTIONS = [
    "--max-retries", "--lease", "--backoff-base", "--backoff-factor", "--backoff-cap", "--jitter",
    "--retention", "--archive-days", "--notify", "--rate-limit", "--because", "--expect",
]  # fmt: skip


@pytest.mark.parametrize("option", QUEUE_OPTIONS)
def test_junk_in_a_queues_option_is_one_line(option):
    Queue.objects.create(name="orders")
    for junk in JUNK:
        for arguments in (("change", "orders"), ("create", f"made-{len(junk)}")):
            status, sentence = ended("queues", *arguments, *WHY, f"{option}={junk}")
            assert status in (0, FAILED, USAGE), junk
            assert status == 0 or sentence, junk


@pytest.mark.parametrize("verb", ["show", "create", "change", "pause", "resume", "purge", "drop"])
def test_a_bad_name_of_a_queue_is_one_line(verb):
    why = () if verb == "show" else WHY
    for junk in JUNK:
        status, sentence = ended("queues", verb, junk, *why)
        assert status in (0, FAILED, USAGE), junk
        assert status == 0 or sentence, junk
    assert ended("queues", verb)[0] == USAGE
    assert ended("queues", verb, "orders", "more", *why)[0] == USAGE
