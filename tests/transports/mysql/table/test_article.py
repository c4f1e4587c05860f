"""The table of the article, as it stands: its own consumers go on beside ours, and nobody does it twice."""

import threading
from collections import Counter
from functools import partial

import pymysql
import pytest
from django.core.management import CommandError, call_command

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.engine.models import AuditEntry, DeadLetter, Message
from dlqconsole.running.ports import LOOPBACK
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import AttachedQueue, ForwardedMessage
from dlqconsole.transports.mysql.table.source import from_settings
from tests.plain_sql import execute
from tests.threads import meanwhile
from tests.transports.mysql.mariadb import DATABASE, USER, mariadb, mysql_transport  # noqa: F401 - fixtures
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - fixture

pytestmark = pytest.mark.django_db(transaction=True)

# word for word, of seed 001
TABLE = """
    CREATE TABLE message_queue (
      id BIGINT PRIMARY KEY AUTO_INCREMENT,
      owner VARBINARY(255),
      dequeued_time DATETIME,
      message VARBINARY(255) NOT NULL
    )
"""
CLAIM = """
    update message_queue set owner=%s,dequeued_time=NOW()
        where owner is null or dequeued_time < SUBTIME(NOW(), SEC_TO_TIME(60)) limit 10
"""
NAME = "mysql-table:message_queue"


class Theirs:
    """A consumer of the article's: an owner of its own, ten at a time."""

    def __init__(self, server, owner):
        self.owner = owner
        self.connection = pymysql.connect(
            host=LOOPBACK,
            port=server.port,
            user=USER,
            password=server.password,
            database=DATABASE,
            autocommit=True,
        )

    def ask(self, statement, *values):
        with self.connection.cursor() as cursor:
            count = cursor.execute(statement, values)
            return list(cursor.fetchall()) or count

    def take(self):
        self.ask(CLAIM, self.owner)
        rows = self.ask("select message from message_queue where owner=%s", self.owner)
        return [row[0].decode() for row in rows] if isinstance(rows, list) else []

    def done(self):
        return self.ask("delete from message_queue where owner=%s", self.owner)


@pytest.fixture
def table(transactional_db, mariadb, mysql_transport):  # noqa: F811 - the fixtures
    """The article's table, empty; a call asks its server."""
    mariadb.ask("DROP TABLE IF EXISTS message_queue")
    mariadb.ask(TABLE)
    return mariadb


@pytest.fixture
def attached(table):
    return attachments.attach(NAME, actor="test")


@pytest.fixture
def source(attached):
    source = from_settings()
    yield source
    source.close()


def put(table, *messages):
    for message in messages:
        table.ask("insert into message_queue (message) values (%s)", (message,))


def test_it_is_attached_as_it_stands(table, capsys):
    put(table, '{"n": 1}')
    call_command("attach", NAME, "--because", "billing's own table")
    assert capsys.readouterr().out.startswith(f"{NAME} is attached: nobody counts there")
    assert table.ask("SELECT COUNT(*) FROM message_queue WHERE owner IS NULL") == [(1,)]


def test_its_columns_are_mapped_by_name(table, capsys):
    table.ask("DROP TABLE IF EXISTS outbox2")
    table.ask(
        "CREATE TABLE outbox2 (id BIGINT PRIMARY KEY AUTO_INCREMENT, worker VARCHAR(64),"
        " dequeued_time DATETIME, payload TEXT NOT NULL)"
    )
    table.ask("INSERT INTO outbox2 (payload) VALUES ('{\"n\": 1}')")
    call_command(
        "attach", "mysql-table:outbox2", "--columns", "message=payload,owner=worker", "--because", "x"
    )
    assert AttachedQueue.objects.get().columns == {"message": "payload", "owner": "worker"}
    assert AuditEntry.objects.get().detail["columns"] == {"message": "payload", "owner": "worker"}
    [message] = from_settings().claim("outbox2", 10, "me", 60)
    assert message.payload == '{"n": 1}'


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("nowhere", [], "There is no table 'nowhere' in this database that its account may see."),
        ("no`where", [], "A table's name has letters, digits, _ and $ only"),
        (
            "message_queue",
            ["--columns", "message=payload"],
            "has no column 'payload'; it has dequeued_time, id,",
        ),
        ("message_queue", ["--columns", "payload"], "Name each column as OURS=THEIRS"),
        ("message_queue", ["--columns", "colour=message"], "No column 'colour' can be mapped."),
        ("message_queue", ["--columns", "message=a`b"], "A column's name has letters, digits"),
    ],
)
def test_what_cannot_be_attached_is_refused_with_one_sentence(table, name, options, sentence):
    with pytest.raises(CommandError) as refused:
        call_command("attach", f"mysql-table:{name}", *options, "--because", "x")
    assert sentence in str(refused.value)
    assert not AttachedQueue.objects.exists()


def test_a_table_without_transactions_is_refused(table):
    table.ask("DROP TABLE message_queue")
    table.ask(f"{TABLE} ENGINE = Aria")
    with pytest.raises(CommandError, match="has no transactions: only InnoDB's can be attached"):
        call_command("attach", NAME, "--because", "x")


def test_a_queue_of_another_system_has_no_columns(table):
    with pytest.raises(CommandError, match="have no columns to map"):
        call_command("attach", "mysql:orders", "--columns", "message=payload", "--because", "x")


def test_consumers_of_both_share_the_table_and_nobody_does_it_twice(table, source):
    put(table, *(f'{{"n": {number}}}' for number in range(300)))
    seen: Counter[str] = Counter()
    lock = threading.Lock()

    def theirs(owner):
        consumer = Theirs(table, owner)
        while messages := consumer.take():
            with lock:
                seen.update(messages)
            assert consumer.done() == len(messages)

    with meanwhile([partial(theirs, f"theirs {number}") for number in range(2)]):
        while batch := source.claim("message_queue", 7, "ours", 60):
            with lock:
                seen.update(message.payload for message in batch)
            assert len(source.complete(batch)) == len(batch)
    assert seen == Counter(f'{{"n": {number}}}' for number in range(300))
    assert table.ask("SELECT COUNT(*) FROM message_queue") == [(0,)]


def test_each_takes_over_from_the_others_dead(table, source):
    put(table, '{"n": 1}', '{"n": 2}')
    Theirs(table, "dead").take()
    assert source.claim("message_queue", 10, "ours", 60) == []
    table.ask("UPDATE message_queue SET dequeued_time = NOW() - INTERVAL 61 SECOND")
    assert len(source.claim("message_queue", 10, "ours", 60)) == 2
    living = Theirs(table, "living")
    assert living.take() == []
    table.ask("UPDATE message_queue SET dequeued_time = NOW() - INTERVAL 61 SECOND")
    assert len(living.take()) == 2
    assert Theirs(table, "dead").done() == 0


def test_their_late_consumer_removes_nothing_of_ours(table, source):
    put(table, '{"n": 1}')
    late = Theirs(table, "late")
    late.take()
    table.ask("UPDATE message_queue SET dequeued_time = NOW() - INTERVAL 61 SECOND")
    [message] = source.claim("message_queue", 10, "ours", 60)
    assert late.done() == 0
    assert source.complete([message]) == {message.id}


def test_a_lease_longer_than_their_timeout_holds_against_them(table, source):
    put(table, '{"n": 1}')
    source.claim("message_queue", 1, "ours", 600)
    assert table.ask("SELECT dequeued_time > NOW() + INTERVAL 500 SECOND FROM message_queue") == [(1,)]
    assert Theirs(table, "theirs").take() == []


def test_a_message_for_later_is_later_for_them_too(table, source):
    source.send("message_queue", '{"n": 1}', delay_seconds=3600)
    assert Theirs(table, "theirs").take() == []
    metrics = source.metrics("message_queue")
    assert (metrics.visible, metrics.in_flight, metrics.scheduled) == (0, 0, 1)


def test_what_fails_with_us_is_a_dead_letter_at_once(table, attached):
    put(
        table,
        '{"specversion": "1.0", "type": "order.created", "source": "s", "id": "1",'
        ' "data": {"do": "transient"}}',
    )
    Consumer([NAME]).run(until_empty=True)
    letter = DeadLetter.objects.get()
    assert (letter.queue, letter.status) == (NAME, "PENDING")
    assert table.ask("SELECT COUNT(*) FROM message_queue") == [(0,)]


def test_a_revived_dead_letter_that_fails_again_is_the_same_without_any_headers(table, attached, letter):
    number = letter("order.created", '{"order_id": 1, "do": "business"}', queue=NAME)
    execute("SELECT dead_letter_revive(%s)", number)
    assert relay.run_once()["forwarded"] == 1
    assert table.ask("SELECT message FROM message_queue") == [(b'{"do": "business", "order_id": 1}',)]
    [message] = from_settings().claim("message_queue", 1, "look", 1)
    assert message.headers["x-dlq-event-id"] == str(number)
    from_settings().release([message])
    assert relay.run_once()["left"] == 0
    assert DeadLetter.objects.get().status == "REVIVED"


def test_what_theirs_complete_has_succeeded(table, attached, letter):
    number = letter("order.created", '{"order_id": 1}', queue=NAME)
    execute("SELECT dead_letter_revive(%s)", number)
    relay.run_once()
    theirs = Theirs(table, "theirs")
    assert theirs.take() == ['{"order_id": 1}']
    theirs.done()
    relay.run_once()
    assert DeadLetter.objects.get().status == "SUCCEEDED"
    assert not ForwardedMessage.objects.exists()


def test_what_does_not_fit_comes_back_with_its_reason(table, attached, letter):
    number = letter("order.created", f'{{"text": "{"x" * 300}"}}', queue=NAME)
    execute("SELECT dead_letter_revive(%s)", number)
    relay.run_once()
    returned = DeadLetter.objects.get()
    assert returned.error_reason.startswith(f"NotForwarded: {NAME} did not take it:")
    assert "Data too long for column 'message'" in returned.error_reason
    assert not Message.objects.exists()


def test_an_id_that_comes_again_with_other_bytes_is_another_message(table, source):
    from dlqconsole.core.handling import Identity
    from dlqconsole.core.lifecycle.states import DeadLetterStatus
    from tests.transports.conformance import REFUSED

    for payload in ('{"n": 1}', '{"n": 2}'):
        put(table, payload)
        table.ask("UPDATE message_queue SET id = 7")
        [message] = source.claim("message_queue", 1, "ours", 60)
        source.dead_letter(
            message, Identity("order.created", NAME, message.id), REFUSED, DeadLetterStatus.PENDING
        )
    assert DeadLetter.objects.count() == 2
