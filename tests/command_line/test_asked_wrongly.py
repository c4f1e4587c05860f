"""What a person asks wrongly is one sentence that says what is wrong with it, and exit status 2."""

import json
from uuid import uuid4

import pytest
from django.core.management import call_command

from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.operations.models import Operation
from tests.console.parts.test_bad_command_lines import FAILED, USAGE, WHY, ended, parser_of
from tests.of_features import all_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_worker")]
NO_UTF8 = "\udcff"  # as Python has the byte 0xff of a command line


def over(kind, **more):
    """An operation that is over."""
    told = {"status": "completed", "actor": "cli:root", "reason": "a test"}
    return Operation.objects.create(
        kind=kind, request_key=uuid4(), cutoff_id=0, expected=more.get("selected", 0), **told, **more
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("deadletters", "revive", "5"),
        ("queues", "create", "orders"),
        ("breakers", "resume", "dependency:billing"),
        ("release_sign_in", "ann"),
        ("retry_due",),
        ("schedule", "pause"),
        ("attach", "pgmq:x"),
        *all_of("CHANGES"),
    ],
)
def test_a_reason_that_is_not_utf_8_is_refused_and_not_changed(arguments):
    status, sentence = ended(*arguments, "--because", NO_UTF8)
    assert status == USAGE
    assert "--because: it is not UTF-8" in sentence
    assert not AuditEntry.objects.exists()


def test_a_filter_that_is_not_utf_8_says_so():
    assert ended("deadletters", "count", "--q", NO_UTF8) == (
        USAGE,
        "q is not UTF-8: it holds half a character, or stray bytes.",
    )


def test_a_number_that_is_too_large_is_called_that():
    status, sentence = ended("deadletters", "count", "--group", "9" * 23)
    assert status == USAGE
    assert sentence.startswith("group is larger than any number here (9,223,372,036,854,775,807)")


def test_a_part_of_the_filter_is_typed_with_dashes(letter, capsys):
    DeadLetter.objects.filter(pk=letter()).update(come_backs=5)
    for name in ("--came-back", "--came_back"):
        assert ended("deadletters", "count", name, "5")[0] == 0
        assert capsys.readouterr().out == "1\n"
    assert ended("deadletters", "count", "--came-back", "5", "--came_back", "5")[0] == USAGE
    told = parser_of("deadletters").format_help()
    assert "--came-back" in told
    assert "--came_back" not in told


@pytest.mark.parametrize(
    "arguments",
    [
        ("relay", "--onc"),
        ("deadletters", "count", "--rea", "x"),
        ("queues", "create", "orders", "--beca", "a test"),
        ("breakers", "--js"),
    ],
)
def test_an_abbreviated_option_is_none(arguments):
    assert ended(*arguments)[0] == USAGE


@pytest.mark.parametrize("option", ["--lease-seconds=120", "--backoff-jitter=0.5", "--fifo-groups"])
def test_a_part_of_a_policy_may_be_called_as_its_column(option):
    assert ended("queues", "create", "orders", option, *WHY)[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("breakers", "hold", "dependency:billing", "open", "--for", "2", *WHY),
        ("schedule", "set", "--type", "a", "--backoff", "6", *WHY),
        ("schedule", "set", "--type", "a", "--backoff", "6..60", *WHY),
    ],
)
def test_a_length_of_time_without_a_unit_is_refused(arguments):
    status, sentence = ended(*arguments)
    assert status in (FAILED, USAGE)
    assert "is a length of time such as 30s, 90m or 6h" in sentence
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("consume", "a", "--batch", "0"), "--batch must be between"),
        (("queues", "create", "orders", "--archive-days", "0", *WHY), "Archive days must be between"),
        (("schedule", "set", "--type", "a", "--rate", "0", *WHY), "The rate"),
        (("deadletters", "revive", "--all", "--rate", "0", *WHY), "The rate"),
        (("deadletters", "reclassify", "--all", "--to-category", "BAD", *WHY), ""),
        (("deadletters", "edit", "5", *WHY), "Say what to change: --recipe FILE"),
        *all_of("ASKED_WRONGLY"),
    ],
)
def test_the_sentence_says_what_was_typed_and_what_to_type(arguments, words):
    status, sentence = ended(*arguments)
    assert sentence.startswith(words)
    assert status == (FAILED if arguments[0] == "verify_audit" else USAGE)


def test_an_operation_that_has_worked_does_not_count_its_own_changes_as_others(letter, capsys):
    asked = over("discard", selected=1, done=1)
    call_command("deadletters", "show", "--operation", str(asked.pk))
    assert "changed_since_frozen" not in json.loads(capsys.readouterr().out)


def test_a_queue_without_a_name_is_listed_and_leads_nowhere(letter, viewer):
    letter("a", queue="")
    page = viewer.get("/queues/").content.decode()
    assert "without a name" in page
    assert "/queues/=/" not in page
