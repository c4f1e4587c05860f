"""Clients of Kafka: what they are told, and what they say when something is wrong, in sentences.

What is given may hold passwords: no sentence, log line or ``repr`` of ours ever has a value of it.
"""

import logging
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from dlqconsole.pipeline.errors import BadRequest, PipelineProblem

NOT_INSTALLED = "Kafka needs a package that is not installed: pip install 'dlqconsole[kafka]'"
ANSWER_SECONDS = 15.0
GROUP = "dlqconsole"
_PROPERTY = re.compile(r'property:? "([\w.]+)"')

# the client logs each lost connection; who cannot go on without it says so in a sentence
_log = logging.getLogger("dlqconsole.kafka")
_log.setLevel(logging.CRITICAL)

type Place = tuple[str, int]


class KafkaAway(PipelineProblem):
    """No broker answers: it may come back."""


def library() -> Any:
    """The client library. Raises BadRequest where it is not installed."""
    try:
        import confluent_kafka
    except ImportError as error:
        raise BadRequest(NOT_INSTALLED) from error
    return confluent_kafka


def check_client(properties: Mapping[str, str]) -> dict[str, str]:
    """Return properties that a client of ours may be given. Raises BadRequest, without a value in it."""
    if not properties.get("bootstrap.servers"):
        raise BadRequest("kafka.bootstrap.servers is missing: name a broker, as in broker:9092")
    return dict(properties)


def consumer(properties: Mapping[str, str]) -> Any:
    """A consumer that is assigned partitions, joins no group and commits nothing. Raises BadRequest."""
    ours = {
        "auto.offset.reset": "error",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "enable.partition.eof": True,
        "allow.auto.create.topics": False,
        "fetch.wait.max.ms": 100,
        "queued.max.messages.kbytes": 16_384,
    }
    return _make(library().Consumer, {"group.id": GROUP, **properties, **ours})


def producer(properties: Mapping[str, str]) -> Any:
    """A producer that waits for all replicas and repeats nothing by itself. Raises BadRequest.

    Keys go to the partitions where Java's producers put them.
    """
    ours = {"enable.idempotence": True, "acks": "all", "linger.ms": 0}
    return _make(library().Producer, {"partitioner": "murmur2_random", **properties, **ours})


def servers(properties: Mapping[str, str]) -> str:
    """Name the brokers, for a sentence."""
    return f"Kafka at {properties['bootstrap.servers']}"


def words(error: Any) -> str:
    """Return the client library's message, without its prefixes and values."""
    inner = error.args[0] if isinstance(error, Exception) and error.args else error
    text = inner.str() if hasattr(inner, "str") else str(inner)
    return re.sub(r"\s+", " ", text).strip().rstrip(".")[:300] or type(error).__name__


class Cluster(AbstractContextManager["Cluster"]):
    """One cluster, as the driver asks it: its topics, their partitions, and the offsets there now.

    All questions raise KafkaAway where nobody answers.
    """

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = properties
        self._client = consumer(properties)

    def __exit__(self, *_error: object) -> None:
        self._client.close()

    @property
    def name(self) -> str:
        """The name that tells it from other clusters: its own id, else its brokers."""
        return str(self._ask(lambda: self._metadata().cluster_id) or self._properties["bootstrap.servers"])

    def topics(self) -> set[str]:
        """The names of all topics that we may see."""
        return set(self._ask(lambda: self._metadata().topics))

    def places(self, topics: tuple[str, ...]) -> list[Place]:
        """The partitions of topics. Raises BadRequest for one that is not there."""
        return [(topic, number) for topic in topics for number in self._partitions(topic)]

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """The first offset, and the one after the last that is committed."""
        place = library().TopicPartition(topic, partition)
        low, high = self._ask(lambda: self._client.get_watermark_offsets(place, ANSWER_SECONDS))
        return low, high

    def committed_offsets(self, group: str, places: list[Place]) -> dict[Place, int]:
        """The offsets that a group has committed; a partition of which it has none is left out."""
        partitions = [library().TopicPartition(*place) for place in places]
        client = consumer({**self._properties, "group.id": group})
        try:
            offsets = self._ask(lambda: client.committed(partitions, ANSWER_SECONDS))
        finally:
            client.close()
        return {(each.topic, each.partition): each.offset for each in offsets if each.offset >= 0}

    def _metadata(self, topic: str | None = None) -> Any:
        return self._client.list_topics(*([topic] if topic else []), timeout=ANSWER_SECONDS)

    def _partitions(self, topic: str) -> list[int]:
        metadata = self._ask(lambda: self._metadata(topic)).topics[topic]
        if metadata.error is not None:
            raise BadRequest(f"{servers(self._properties)} has no topic {topic!r} that we may read")
        return sorted(metadata.partitions)

    def _ask(self, question: Callable[[], Any]) -> Any:
        try:
            return question()
        except library().KafkaException as error:
            raise KafkaAway(f"{servers(self._properties)} does not answer: {words(error)}") from None


def _make(kind: Any, properties: dict[str, Any]) -> Any:
    try:
        return kind(properties, logger=_log)
    except Exception as error:  # its own, and TypeError or ValueError for values that are none
        raise BadRequest(_wrong_property(error)) from None


def _wrong_property(error: Exception) -> str:
    """Name the wrong property. The library's own sentence quotes the value, which may be a password."""
    sentence = words(error)
    match = _PROPERTY.search(sentence)
    if match and sentence.startswith("No such"):
        return f"there is no Kafka option kafka.{match[1]}"
    if match:
        return f"the Kafka option kafka.{match[1]} has a value that it cannot have"
    return "the Kafka options do not go together: see the names of librdkafka's configuration properties"
