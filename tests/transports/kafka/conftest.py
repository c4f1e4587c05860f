"""A topic that is attached, and dead letters of it."""

import pytest

from dlqconsole.transports import attachments
from dlqconsole.transports.kafka.target import KafkaTarget
from tests.kafka_broker import broker  # noqa: F401 - a fixture
from tests.plain_sql import value


@pytest.fixture
def source(broker, settings) -> KafkaTarget:  # noqa: F811
    """Kafka, as it is configured."""
    settings.DLQ_KAFKA_SERVERS = broker.servers
    return KafkaTarget({"bootstrap.servers": broker.servers})


@pytest.fixture
def topic(broker) -> str:  # noqa: F811
    """The name of a new topic."""
    return broker.topic()


@pytest.fixture
def attached(source, topic, transactional_db):
    """A topic that was attached."""
    return attachments.attach(f"kafka:{topic}", actor="test")


@pytest.fixture
def revived(attached, letter):
    """revived() makes a dead letter of the topic and revives it; its id."""

    def revive(payload='{"order_id": 1}', **columns):
        number = letter(columns.pop("event_type", "order.created"), payload, queue=attached.name, **columns)
        assert value("SELECT dead_letter_revive(%s)", number)
        return number

    return revive


def status(number):
    return value("SELECT status FROM dlq_events WHERE id = %s", number)
