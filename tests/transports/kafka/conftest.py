"""A topic that is attached, and dead letters of it."""

import pytest

from dlqconsole.transports import attachments
from dlqconsole.transports.kafka.target import KafkaTarget
from tests.kafka_broker import broker  # noqa: F401 - a fixture


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
