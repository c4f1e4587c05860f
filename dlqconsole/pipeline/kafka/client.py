"""Clients of Kafka: what they are told, and what they say when something is wrong, in sentences.

What is given may hold passwords: no sentence, log line or ``repr`` of ours ever has a value of it.
"""

import logging
import re
from collections.abc import Mapping
from typing import Any

from dlqconsole.pipeline.errors import BadRequest, PipelineProblem

NOT_INSTALLED = (
    "Kafka needs a package that is not installed: pip install -r requirements-kafka.txt (confluent-kafka)"
)
ANSWER_SECONDS = 15.0
GROUP = "dlqconsole"

# Spark's connector refuses these, too: who reads by position decides them
OURS = frozenset(
    {
        "auto.offset.reset",
        "enable.auto.commit",
        "enable.auto.offset.store",
        "enable.partition.eof",
        "interceptor.classes",
        "key.deserializer",
        "value.deserializer",
    }
)
# properties that only Java's client knows, and the same for ours
_JAVA = {
    "sasl.jaas.config": "kafka.sasl.username and kafka.sasl.password",
    "ssl.truststore.location": "kafka.ssl.ca.location, a file in PEM",
    "ssl.truststore.password": "kafka.ssl.ca.location, a file in PEM",
    "ssl.keystore.type": "kafka.ssl.certificate.location and kafka.ssl.key.location, files in PEM",
}
_PROPERTY = re.compile(r'property:? "([\w.]+)"')

# the client logs each lost connection; who cannot go on without it says so in a sentence
_log = logging.getLogger("dlqconsole.kafka")
_log.setLevel(logging.CRITICAL)


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
    for name in properties:
        if name in OURS:
            raise BadRequest(f"kafka.{name} cannot be set: we read by position, and decide it ourselves")
        if name in _JAVA:
            raise BadRequest(f"kafka.{name} is for Java's client: set {_JAVA[name]}")
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


def away(properties: Mapping[str, str], error: Exception) -> KafkaAway:
    """The sentence for an error that is nobody's fault here."""
    return KafkaAway(f"{servers(properties)} does not answer: {words(error)}")


def words(error: Any) -> str:
    """Return the client library's message, without its prefixes and values."""
    inner = error.args[0] if isinstance(error, Exception) and error.args else error
    text = inner.str() if hasattr(inner, "str") else str(inner)
    return re.sub(r"\s+", " ", text).strip().rstrip(".")[:300] or type(error).__name__


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
