"""The shared suite, as far as the flags of RabbitMQ say; and what a dead-letter queue is not."""

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.core.errors import InvalidQueue, UnknownQueue
from dlqconsole.transports import attachments, registry
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.rabbitmq.source import RabbitmqSource
from tests.transports.conformance import Bench, SendingConformance

pytestmark = pytest.mark.django_db(transaction=True)


class TestRabbitmq(SendingConformance):
    @pytest.fixture
    def bench(self, rabbitmq_source, queues, transactional_db) -> Bench:
        return Bench(rabbitmq_source, queues.dead, "no.such.queue", queues.attached, lambda: None)

    @pytest.fixture
    def sent(self, queues):
        """What stands on the queue: payload and headers."""

        def read():
            messages = iter(lambda: queues.get(queues.dead), None)
            return [(each.body, each.properties.get("application_headers", {})) for each in messages]

        return read


def test_nobody_consumes_it_through_a_queue(attached, rabbitmq_source):
    with pytest.raises(CommandError, match=r"cannot be consumed\. It is a dead-letter queue of RabbitMQ"):
        call_command("consume", attached.name, "--until-empty")
    for refuse in (
        lambda: rabbitmq_source.extend([], 1),
        lambda: rabbitmq_source.complete([]),
        lambda: rabbitmq_source.release([]),
    ):
        with pytest.raises(InvalidQueue):
            refuse()


def test_attaching_says_what_becomes_of_its_messages(queues, capsys, transactional_db):
    call_command("attach", queues.attached)
    assert "each message on it becomes a dead letter here, and leaves it." in capsys.readouterr().out


def test_a_queue_that_is_not_there_is_not_attached(queues, transactional_db):
    with pytest.raises(UnknownQueue, match=r"RabbitMQ at 127\.0\.0\.1:\d+ has no such queue: NOT_FOUND"):
        attachments.attach("rabbitmq:nowhere", actor="test")


def test_a_queue_with_consumers_keeps_its_messages(queues, rabbit, transactional_db):
    channel = rabbit.channel()
    channel.basic_consume(queues.name, callback=lambda _message: None)
    with pytest.raises(InvalidQueue, match=r"has consumers of its own \(1 now\).* Attach the queue behind"):
        attachments.attach(f"rabbitmq:{queues.name}", actor="test")
    channel.close()


def test_its_figures_are_what_is_still_to_be_taken_over(attached, queues):
    queues.fail(b"{}", b"{}")
    [listed] = attachments.attachments(None)
    assert (listed.metrics.visible, listed.problem) == (2, "")


def test_a_rabbitmq_that_is_away_or_not_configured_is_said(rabbit, settings):
    settings.DLQ_RABBITMQ_URL = ""
    with pytest.raises(TransportUnavailable, match="set DLQ_RABBITMQ_URL"):
        registry.source_of("rabbitmq:orders")
    with pytest.raises(TransportUnavailable, match=r"RabbitMQ at 127\.0\.0\.1:1 does not answer: .* runs"):
        RabbitmqSource("amqp://me:secret@127.0.0.1:1/").metrics("orders")
    with pytest.raises(TransportUnavailable, match=r"refused us: .* Check DLQ_RABBITMQ_URL") as refused:
        RabbitmqSource(rabbit.url().replace("console:", "console:wrong")).metrics("orders")
    assert rabbit.password not in str(refused.value)


def test_a_connection_that_breaks_is_opened_again(rabbitmq_source, queues):
    assert rabbitmq_source.metrics(queues.dead).visible == 0
    with rabbitmq_source.connections.channel() as channel:
        channel.connection.transport.sock.close()
    with pytest.raises(TransportUnavailable):
        rabbitmq_source.metrics(queues.dead)
    assert rabbitmq_source.metrics(queues.dead).visible == 0
