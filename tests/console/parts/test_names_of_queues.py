"""One rule for a queue's name, wherever a command takes one; and a database that is not migrated."""

from io import BytesIO, StringIO, TextIOWrapper

import pytest
from django.db import connection

from dlqconsole.engine.database.said import NOT_MIGRATED
from dlqconsole.engine.models import Message, Queue
from dlqconsole.operations.models import Operation
from dlqconsole.transports.models import AttachedQueue
from tests.console.parts.test_bad_command_lines import FAILED, WHY, ended

pytestmark = pytest.mark.django_db
IMPOSSIBLE = ["", " ", "\u0663", "-x", ".x", "a b", "a\x00b", "x" * 48, "\U0001f9ea"]


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    monkeypatch.setattr("dlqconsole.operations.service.wake", lambda operation_id: None)


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
    assert (status, sentence.startswith("A queue cannot be called")) == (FAILED, True)
    assert sent(name) == (FAILED, sentence)
    assert ended("consume", "--until-empty", "--", name) == (FAILED, sentence)
    if name.strip():
        assert ended("deadletters", "revive", "--all", *WHY, f"--to-queue={name}") == (FAILED, sentence)
    assert not Message.objects.exists()
    assert not Operation.objects.exists()
    assert not Queue.objects.exists()


def test_what_plain_sql_put_on_a_queue_with_such_a_name_is_served(sent, letter):
    letter("a")
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO message_queue (queue, payload) VALUES ('zwei Wörter', '{}')")
    assert sent("zwei Wörter")[0] == 0
    assert Message.objects.count() == 2
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
    assert ended("consume", "--until-empty", name)[0] == FAILED


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
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL search_path TO pg_catalog")
    assert ended(*arguments) == (FAILED, NOT_MIGRATED)
