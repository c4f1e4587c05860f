"""The move of a live table: its consumers run meanwhile, the mover dies, and each message is handled once."""

import threading
from collections import Counter
from functools import partial

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.core import messages
from dlqconsole.engine.models import AuditEntry, DeadLetter, Message
from dlqconsole.processing import crash_points
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import ForwardedMessage
from tests.plain_sql import execute
from tests.threads import meanwhile
from tests.transports.mysql.mariadb import mariadb, mysql_transport  # noqa: F401 - fixtures
from tests.transports.mysql.table.test_article import NAME, Theirs, put, table  # noqa: F401 - fixture

pytestmark = pytest.mark.django_db(transaction=True)


class Died(BaseException):
    """As kill -9 would end the mover."""


@pytest.fixture
def attached(table):  # noqa: F811 - the fixture
    return attachments.attach(NAME, actor="test")


@pytest.fixture
def dies(monkeypatch):
    """dies("move.put", 2): the mover dies there, the second time."""

    def at(place, visits=1):
        seen = Counter()

        def reach(name):
            seen[name] += 1
            if name == place and seen[name] == visits:
                raise Died

        monkeypatch.setattr(crash_points, "reach", reach)

    return at


def move(capsys=None):
    call_command("move", NAME, "orders", "--because", "one queue for all")
    return capsys.readouterr().out if capsys else ""


def payloads():
    return Counter(message.payload for message in messages.claim("orders", 10_000, "ours", 60))


def wanted(number):
    return Counter(f'{{"n": {each}}}' for each in range(number))


def test_a_table_is_moved_in_its_order(table, attached, capsys):  # noqa: F811 - the fixture
    put(table, *(f'{{"n": {number}}}' for number in range(3)))
    assert move(capsys) == "3 messages are on orders now.\n"
    assert [m.payload for m in Message.objects.order_by("id")] == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert table.ask("SELECT COUNT(*) FROM message_queue") == [(0,)]
    entry = AuditEntry.objects.get(action="move")
    assert (entry.target, entry.reason) == (f"queue:{NAME}", "one queue for all")
    assert entry.detail == {"to": "orders", "messages": 3}


def test_bytes_that_are_no_json_are_moved_as_they_are(table, attached):  # noqa: F811 - the fixture
    put(table, b"\xff not JSON")
    move()
    assert bytes(Message.objects.get().payload_raw) == b"\xff not JSON"


def test_what_its_consumers_hold_is_left_to_them(table, attached, capsys):  # noqa: F811 - the fixture
    put(table, '{"n": 0}')
    theirs = Theirs(table, "theirs")
    theirs.take()
    put(table, '{"n": 1}')
    assert move(capsys) == (
        "1 messages are on orders now. 1 are left, held by its consumers or for later: move again.\n"
    )
    assert theirs.done() == 1
    assert payloads() == Counter(['{"n": 1}'])


@pytest.mark.parametrize("place", ["move.taken", "move.put"])
def test_a_mover_that_dies_goes_on_where_it_was(table, attached, dies, place, monkeypatch):  # noqa: F811
    monkeypatch.setattr("dlqconsole.transports.mysql.table.moving.BATCH", 4)
    put(table, *(f'{{"n": {number}}}' for number in range(10)))
    dies(place, 2)
    with pytest.raises(Died):
        move()
    assert Theirs(table, "theirs").take() == [f'{{"n": {number}}}' for number in (8, 9)]
    taken = payloads()  # consumers of ours go on meanwhile, and complete what they have
    Message.objects.all().delete()
    table.ask("UPDATE message_queue SET owner = NULL, dequeued_time = NULL WHERE owner = 'theirs'")
    dies("nowhere")
    move()
    assert taken + payloads() == wanted(10)
    assert table.ask("SELECT COUNT(*) FROM message_queue") == [(0,)]


def test_nothing_is_lost_or_done_twice_while_its_consumers_run(table, attached, monkeypatch):  # noqa: F811
    monkeypatch.setattr("dlqconsole.transports.mysql.table.moving.BATCH", 20)
    seen: Counter[str] = Counter()
    lock, is_over = threading.Lock(), threading.Event()

    def consume(owner):
        theirs = Theirs(table, owner)
        while not is_over.is_set():
            taken = theirs.take()
            assert theirs.done() == len(taken)
            with lock:
                seen.update(taken)

    with meanwhile([partial(consume, f"theirs {number}") for number in range(3)]):
        for start in range(0, 1200, 300):
            rows = ", ".join(f"('{{\"n\": {number}}}')" for number in range(start, start + 300))
            table.ask(f"insert into message_queue (message) values {rows}")
            move()
        is_over.set()
    move()
    ours = payloads()
    assert ours + seen == wanted(1200)
    assert table.ask("SELECT COUNT(*) FROM message_queue") == [(0,)]
    assert ours, "some were moved"


def test_a_revived_message_stays_the_revival_of_its_dead_letter(table, attached, letter):  # noqa: F811
    number = letter("order.created", '{"order_id": 1}', queue=NAME)
    execute("SELECT dead_letter_revive(%s)", number)
    relay.run_once()
    move()
    message = Message.objects.get()
    assert (message.dlq_event_id, message.revive_seq) == (number, 1)
    assert not ForwardedMessage.objects.exists()
    relay.run_once()
    assert DeadLetter.objects.get().status == "REVIVED"
    [claim] = messages.claim("orders", 1, "ours", 60)
    messages.complete([claim])
    assert DeadLetter.objects.get().status == "SUCCEEDED"


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("mysql-table:nowhere", "orders"), "is not attached"),
        (("mysql:orders", "orders"), "is not attached"),
        ((NAME, "pgmq:orders"), "a colon names a queue of another system"),
        ((NAME, "x" * 256), "A queue cannot be called"),
    ],
)
def test_what_cannot_be_moved_is_one_sentence(attached, names, sentence):
    with pytest.raises(CommandError) as refused:
        call_command("move", *names, "--because", "x")
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
