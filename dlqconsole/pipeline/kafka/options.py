"""The options of reading Kafka, named as those of Spark's own connector."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from dlqconsole.pipeline.errors import BadRequest

from .client import check_client
from .records import is_topic

SCHEME = "kafka://"
EXAMPLE = "kafka://broker:9092/orders"
CLIENT = "kafka."
OWN = ("subscribe", "startingOffsets", "endingOffsets", "maxOffsetsPerTrigger", "failOnDataLoss")
DEFAULT_MOST = 200_000
# as in Spark's JSON: instead of an offset
AT_LATEST, AT_EARLIEST = -1, -2


@dataclass(frozen=True, slots=True)
class Positions:
    """An end of each partition, or offsets that were named. What is not named is at ``usual``."""

    usual: int
    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    def of(self, topic: str, partition: int, low: int, high: int) -> int:
        """The offset meant in a partition that has records from ``low`` up to, not with, ``high``."""
        offset = self.offsets.get(topic, {}).get(partition, self.usual)
        return {AT_LATEST: high, AT_EARLIEST: low}.get(offset, offset)


EARLIEST, LATEST = Positions(AT_EARLIEST), Positions(AT_LATEST)


@dataclass(frozen=True, slots=True)
class KafkaOptions:
    """Topics, the client's properties, and which part of the topics. Travels to workers; shows no secret.

    ``most``: how many records one round reads, all partitions together. ``loss_fails``: records that are
    gone before they were read end the job; else they are counted and named.
    """

    topics: tuple[str, ...]
    client: Mapping[str, str] = field(repr=False)
    starting: Positions = EARLIEST
    ending: Positions = LATEST
    most: int = DEFAULT_MOST
    loss_fails: bool = True


def read_address(address: str, properties: Mapping[str, str]) -> dict[str, str]:
    """kafka://broker:9092/orders,payments and the client's properties as options. Raises BadRequest."""
    brokers, _slash, topics = address.removeprefix(SCHEME).partition("/")
    if "@" in address:
        raise BadRequest(
            "accounts and passwords stand in the file that DLQ_KAFKA_CONFIG names, not in the address"
        )
    if not brokers or not topics.strip("/ ,"):
        raise BadRequest(f"name brokers and topics like {EXAMPLE}")
    client = {f"{CLIENT}{name}": value for name, value in properties.items()}
    return {**client, "kafka.bootstrap.servers": brokers, "subscribe": topics.strip("/")}


def read_options(options: Mapping[str, str], starting: str = "earliest") -> KafkaOptions:
    """The options of a reader. ``starting``: where to begin unless they say it. Raises BadRequest."""
    names = {name.lower(): name for name in OWN}
    own: dict[str, str] = {}
    client: dict[str, str] = {}
    for name, value in options.items():
        if name.startswith(CLIENT):
            client[name.removeprefix(CLIENT)] = value
        elif name.lower() in names:
            own[names[name.lower()]] = value
        else:
            raise BadRequest(
                f"there is no option {name!r} here; there are {', '.join(OWN)} and kafka.<property>"
            )
    return KafkaOptions(
        topics=_topics(own.get("subscribe", "")),
        client=check_client(client),
        starting=_positions("startingOffsets", own.get("startingOffsets", starting)),
        ending=_positions("endingOffsets", own.get("endingOffsets", "latest")),
        most=_count(own.get("maxOffsetsPerTrigger", str(DEFAULT_MOST))),
        # whatever else is said, nothing is lost in silence
        loss_fails=own.get("failOnDataLoss", "true").lower() != "false",
    )


def _topics(text: str) -> tuple[str, ...]:
    topics = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not topics:
        raise BadRequest("subscribe is missing: name the topics to read, comma separated")
    for topic in topics:
        if not is_topic(topic):
            raise BadRequest(
                f"{topic[:80]!r} is not a topic's name: 1 to 249 letters, digits, '.', '_' and '-'"
            )
    return topics


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text) >= 1:
        raise BadRequest(f"maxOffsetsPerTrigger is a whole number from 1 on, not {text[:40]!r}")
    return int(text)


def _positions(option: str, text: str) -> Positions:
    """Read earliest, latest or {"orders": {"0": 23, "1": -1}}. Raises BadRequest."""
    words = {"latest": LATEST} | ({} if option == "endingOffsets" else {"earliest": EARLIEST})
    if text in words:
        return words[text]
    usual = AT_LATEST if option == "endingOffsets" else AT_EARLIEST
    try:
        offsets = {
            topic: {int(partition): int(offset) for partition, offset in of.items()}
            for topic, of in json.loads(text).items()
        }
    except (ValueError, AttributeError, TypeError):
        example = '{"orders": {"0": 23, "1": -1}}'
        raise BadRequest(f"{option} is {' or '.join(words)} or offsets like {example}") from None
    return Positions(usual, offsets)
