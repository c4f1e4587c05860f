"""A dead letter as the message of its task, and what is no task, or cannot be sent."""

import json

import pytest
from django.conf import settings as django_settings
from kombu import Connection

from dlqconsole.configuration.addresses import read_brokers
from dlqconsole.core.errors import InvalidMessage
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.celery.target import CeleryTarget
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.source import Source
from tests.plain_sql import execute, rows, value
from tests.transports.conformance import Bench, Refusals

pytestmark = pytest.mark.django_db(transaction=True)

QUEUE = "celery-transport"
TASK = {
    "task": "shop.charge", "id": "t1", "queue": QUEUE, "exchange": "", "retries": 3, "root_id": "r1",
    "group": "g1", "timelimit": [None, None], "priority": 6,
}  # fmt: skip
PAYLOAD = '{"args": ["7", 12.50], "kwargs": {"currency": "EUR"}, "chain": [{"task": "shop.ship"}]}'


@pytest.fixture
def source(settings):
    settings.DLQ_CELERY_BROKERS = f"shop={settings.REDIS_URL} gone=redis://127.0.0.1:1/0"
    return CeleryTarget()


@pytest.fixture
def sent():
    """What stands on the task's queue."""
    with Connection(django_settings.REDIS_URL) as connection, connection.channel() as channel:
        channel.queue_declare(QUEUE)

        def read():
            return list(iter(lambda: channel.basic_get(QUEUE, no_ack=True), None))

        read()
        yield read
        channel.queue_delete(QUEUE)


class TestCelery(Refusals):
    @pytest.fixture
    def bench(self, source, transactional_db) -> Bench:
        return Bench(source, "shop", "no application", "celery:shop", lambda: None)


def send(source, payload=PAYLOAD, **task):
    return source.send("shop", payload, {"tenant": "a", "ce_id": "t1", "celery": TASK | task})


def test_a_task_is_sent_as_celery_itself_would_send_it(source, sent):
    assert send(source) == "t1"
    [message] = sent()
    args, kwargs, embedded = message.decode()
    assert (args, kwargs, embedded["chain"]) == (["7", 12.5], {"currency": "EUR"}, [{"task": "shop.ship"}])
    assert message.content_type == "application/json"
    assert message.headers["tenant"] == "a"
    assert {"ce_id", "celery"}.isdisjoint(message.headers)
    assert [message.headers[name] for name in ("task", "id", "root_id", "group", "retries")] == [
        "shop.charge", "t1", "r1", "g1", 0,
    ]  # fmt: skip
    assert (message.properties["correlation_id"], message.properties["priority"]) == ("t1", 6)


def test_types_that_json_has_not_are_for_a_worker_that_knows_them(source, sent):
    send(source, '{"args": [{"$type": "decimal", "value": "1.10"}], "kwargs": {}}')
    [message] = sent()
    assert message.content_type == "application/x-dlq+json"
    assert json.loads(message.body)[0] == [{"$type": "decimal", "value": "1.10"}]


@pytest.mark.parametrize(
    ("payload", "task", "why"),
    [
        ('{"args": [], "kwargs": {}}', {"id": None}, "It is no task"),
        ('{"args": [], "kwargs": {}}', {"queue": None}, "could not tell which queue"),
        ('{"args": 1, "kwargs": {}}', {}, 'must have "args", a list'),
        ("[]", {}, 'must have "args", a list'),
        ("{", {}, "cannot be sent"),
        ('{"args": [], "kwargs": {"o": {"$type": "unknown", "class": "a:B"}}}', {}, "/kwargs/o was a a:B"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_one_sentence(source, sent, payload, task, why):
    with pytest.raises(InvalidMessage, match=why):
        send(source, payload, **task)
    assert sent() == []


def test_a_broker_that_is_away_or_unknown_is_said_without_its_password(source, settings):
    settings.DLQ_CELERY_BROKERS = "gone=redis://:secret@127.0.0.1:1/0 wrong=nothing://:secret@x"
    for name, why in (("gone", "does not answer"), ("wrong", "does not answer"), ("crm", "is not known")):
        with pytest.raises(TransportUnavailable, match=why) as refused:
            attachments.attach(f"celery:{name}", actor="test")
        assert "secret" not in str(refused.value)


def test_it_is_attached_once_for_all_its_queues_and_nothing_is_claimed_there(source):
    queue = attachments.attach("celery:shop", actor="test")
    [attached] = attachments.attachments([queue.name])
    assert (attached.problem, attached.metrics.at_least) == ("", ("visible", "in_flight", "scheduled"))
    assert not isinstance(source, Source)
    assert source.not_claimed.endswith("the console sends them only.")


def test_a_revived_one_carries_its_revival_and_stays_so_until_its_worker_tells(source, sent, letter):
    attachments.attach("celery:shop", actor="test")
    number = letter(
        "shop.charge", PAYLOAD, queue="celery:shop", source="celery:shop", source_key="t1",
        headers=json.dumps({"celery": TASK}),
    )  # fmt: skip
    execute("SELECT dead_letter_revive(%s)", number)
    assert relay.run_once()["forwarded"] == 1
    [message] = sent()
    assert (message.headers["x-dlq-event-id"], message.headers["x-dlq-revive-seq"]) == (str(number), "1")
    assert relay.run_once()["left"] == 0
    assert value("SELECT status FROM dlq_events WHERE id = %s", number) == "REVIVED"
    assert rows("SELECT remote_id, is_watched FROM forwarded_messages") == [("t1", True)]


@pytest.mark.parametrize("text", ["shop", "=redis://x", "a b=redis://x", "shop=x", "a=redis://x a=redis://y"])
def test_brokers_that_cannot_be_read_are_refused_without_their_addresses(text):
    with pytest.raises(ValueError, match=r"Part \d must look|twice") as refused:
        read_brokers(text)
    assert "//x" not in str(refused.value)
