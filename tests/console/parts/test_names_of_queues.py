"""One rule for a queue's name, wherever a command takes one; and a database that is not migrated."""

import json
from io import BytesIO, StringIO, TextIOWrapper

import pytest

from dlqconsole.engine.database.error_line import not_migrated
from dlqconsole.engine.models import Message, Queue
from dlqconsole.operations.models import Operation
from dlqconsole.transports.models import AttachedQueue
from tests.console.parts.test_bad_command_lines import FAILED, USAGE, WHY, ended
from tests.plain_sql import execute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_worker")]
IMPOSSIBLE = ["", "a\x00b", "x" * 256]


@pytest.fixture
def sent(monkeypatch):
    """Send one message to a queue by command."""

    def send(queue: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b'{"order_id": 1}\n\n')))
        return ended("send", "--", queue)

    return send


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_an_impossible_name_is_refused_everywhere_alike(letter, sent, name):
    letter("a")
    status, sentence = ended("queues", "create", *WHY, "--", name)
    assert (status, sentence.startswith("A queue cannot be called")) == (USAGE, True)
    assert sent(name) == (USAGE, sentence)
    assert ended("consume", "--until-empty", "--", name) == (USAGE, sentence)
    if len(name) > 255:  # what is empty is left out, and no shell hands over a NUL
        assert ended("deadletters", "revive", "--all", *WHY, f"--to-queue={name}")[0] == USAGE
    assert not Message.objects.exists()
    assert not Operation.objects.exists()
    assert not Queue.objects.exists()


def test_a_name_of_two_words_is_one_like_any_other(sent, letter):
    letter("a")
    assert sent("zwei Wörter")[0] == 0
    assert Message.objects.get().queue == "zwei Wörter"
    # nobody has a handler for its events; the name is none of its troubles
    assert ended("consume", "zwei Wörter", "--until-empty")[0] == FAILED
    assert ended("deadletters", "revive", "--all", *WHY, "--to-queue", "zwei Wörter")[0] == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mysql:x", "manage.py attach mysql:x"),
        ("pgmq:x", "manage.py attach pgmq:x"),
        ("nope:x", "a colon names"),
    ],
)
def test_nothing_is_sent_to_a_queue_that_nobody_serves(sent, name, words):
    assert words in sent(name)[1]
    assert not Message.objects.exists()
    # what may be attached later is no mistake
    assert ended("consume", "--until-empty", name)[0] == (USAGE if name == "nope:x" else FAILED)


def test_a_message_for_an_attached_queue_waits_for_the_relay(sent):
    AttachedQueue.objects.create(name="pgmq:x", transport="pgmq", remote_name="x")
    assert sent("pgmq:x")[0] == 0
    assert Message.objects.get().queue == "pgmq:x"


@pytest.mark.parametrize(
    "arguments",
    [
        ("deadletters", "count"),
        ("deadletters", "list"),
        ("deadletters", "export"),
        ("queues",),
        ("queues", "show", "orders"),
        ("send", "orders"),
        ("rollups", "check"),
        ("attach", "--list"),
        ("relay", "--once"),
        ("retry_due",),
        ("consume", "orders", "--until-empty"),
    ],
)
def test_a_database_that_is_not_migrated_is_one_sentence(monkeypatch, arguments):
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"{}")))
    monkeypatch.setattr("sys.stdout", StringIO())
    execute("SET LOCAL search_path TO pg_catalog")
    assert ended(*arguments) == (FAILED, not_migrated())


@pytest.fixture
def attached(letter):
    """A queue of another system with a dead letter."""
    AttachedQueue.objects.create(
        name="pgmq:x", transport="pgmq", remote_name="x", max_deliveries=7, lease_seconds=90
    )
    letter(queue="pgmq:x")


def test_an_attached_queue_shows_what_it_was_attached_with(attached, capsys, viewer):
    assert ended("queues", "show", "pgmq:x")[0] == 0
    assert ended("queues", "show", "pgmq:x", "--json")[0] == 0
    words, row = capsys.readouterr().out.rsplit("\n", 2)[:2]
    assert "deliveries        7, then a dead letter" in words
    assert "90 s, for consumers of ours" in words
    assert "retries " not in words
    assert json.loads(row)["policy"] == {"max_deliveries": 7, "lease_seconds": 90}
    assert "7, then a dead letter" in viewer.get("/queues/pgmq:x/").content.decode()


def test_a_pause_says_whom_it_does_not_stop(attached, capsys):
    assert ended("queues", "pause", *WHY, "pgmq:x")[0] == 0
    assert "Consumers of other programs go on." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--list", "pgmq:x"), "attach --list takes no name of a queue."),
        (("--list", "--detach"), "attach --list takes no option --detach."),
        (("--list", *WHY), "attach --list takes no option --because."),
        (
            ("pgmq:x", "--detach", "--max-deliveries", "0"),
            "attach --detach takes no option --max-deliveries.",
        ),
        (("pgmq:x", "--take-back"), "attach takes no option --take-back."),
    ],
)
def test_attach_takes_nothing_that_it_would_not_use(arguments, words):
    assert ended("attach", *arguments) == (USAGE, words)
