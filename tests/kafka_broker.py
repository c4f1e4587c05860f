"""A Kafka for the tests: librdkafka's own broker, in a process of its own, spoken to by the real protocol.

It keeps about 5 MB a partition in memory, and makes a topic of four partitions when it is first named.
"""

import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

_BROKER = """
import sys
from confluent_kafka import Producer
broker = Producer({"test.mock.num.brokers": 1})
print(*(f"{each.host}:{each.port}" for each in broker.list_topics(timeout=10).brokers.values()), flush=True)
sys.stdin.read()
"""
PARTITIONS = 4
_numbers = count(1)


class Broker:
    """One broker, which ends with pytest, however that ends."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _BROKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.servers = self.process.stdout.readline().strip()
        assert self.servers, "the broker did not start"
        self._producer = Producer({"bootstrap.servers": self.servers, "linger.ms": 0, "log_level": 0})

    def topic(self, name: str = "orders", partitions: int = PARTITIONS) -> str:
        """The name of a new topic."""
        topic = f"{name}{next(_numbers)}"
        self.make(topic)
        return topic

    def make(self, topic: str) -> None:
        """Make a topic by naming it."""
        assert self._producer.list_topics(topic, timeout=10).topics[topic].partitions

    def put(
        self,
        topic: str,
        value: bytes | str | None,
        headers: list[tuple[str, bytes | None]] | None = None,
        *,
        key: bytes | None = None,
        partition: int = 0,
    ) -> None:
        """Write one record; ``settle`` waits for all of them."""
        while True:
            try:
                self._producer.produce(topic, value, key, partition, headers=headers)
                return
            except BufferError:
                self._producer.poll(0.1)

    def settle(self) -> None:
        assert self._producer.flush(30) == 0

    def records(self, topic: str) -> list[Any]:
        """All records of a topic, in order within each partition."""
        consumer = Consumer(
            {"bootstrap.servers": self.servers, "group.id": "tests", "enable.partition.eof": True}
        )
        consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
        found, ended = [], 0
        while ended < PARTITIONS:
            message = consumer.poll(10)
            assert message is not None
            ended += message.error() is not None
            found += [message] if message.error() is None else []
        consumer.close()
        return sorted(found, key=lambda each: (each.partition(), each.offset()))

    def commit(self, group: str, topic: str, partition: int, offset: int) -> None:
        """As a consumer of that group which has read so far."""
        consumer = Consumer({"bootstrap.servers": self.servers, "group.id": group})
        consumer.commit(offsets=[TopicPartition(topic, partition, offset)], asynchronous=False)
        consumer.close()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """A broker for all tests of the session."""
    running = Broker()
    yield running
    running.stop()
