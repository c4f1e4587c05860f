"""The partitions of the topics to read, and their first and last offsets now."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.pipeline.errors import BadRequest

from .client import ANSWER_SECONDS, away, consumer, library, servers

type Place = tuple[str, int]


class Cluster:
    """One cluster, as the driver asks it. Close it in the end."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = properties
        self._client = consumer(properties)

    @property
    def name(self) -> str:
        """The name that tells it from other clusters: its own id, else its brokers. Raises KafkaAway."""
        return str(self._ask(lambda: self._metadata().cluster_id) or self._properties["bootstrap.servers"])

    def topics(self) -> set[str]:
        """The names of all topics that we may see. Raises KafkaAway."""
        return set(self._ask(lambda: self._metadata().topics))

    def places(self, topics: tuple[str, ...]) -> list[Place]:
        """The partitions of topics. Raises BadRequest for one that is not there, KafkaAway."""
        return [(topic, number) for topic in topics for number in self._partitions(topic)]

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """The first offset, and the one after the last that is committed. Raises KafkaAway."""
        place = library().TopicPartition(topic, partition)
        low, high = self._ask(lambda: self._client.get_watermark_offsets(place, ANSWER_SECONDS))
        return low, high

    def committed_offsets(self, group: str, places: list[Place]) -> dict[Place, int]:
        """The offsets that a group has committed; a partition of which it has none is left out."""
        parts = library()
        partitions = [parts.TopicPartition(*place) for place in places]
        client = consumer({**self._properties, "group.id": group})
        try:
            offsets = self._ask(lambda: client.committed(partitions, ANSWER_SECONDS))
        finally:
            client.close()
        return {(each.topic, each.partition): each.offset for each in offsets if each.offset >= 0}

    def close(self) -> None:
        """Close its connection."""
        self._client.close()

    def _metadata(self, topic: str | None = None) -> Any:
        return self._client.list_topics(*([topic] if topic else []), timeout=ANSWER_SECONDS)

    def _partitions(self, topic: str) -> list[int]:
        metadata = self._ask(lambda: self._metadata(topic)).topics[topic]
        if metadata.error is not None:
            raise BadRequest(f"{servers(self._properties)} has no topic {topic!r} that we may read")
        return sorted(metadata.partitions)

    def _ask(self, question: Any) -> Any:
        try:
            return question()
        except library().KafkaException as error:
            raise away(self._properties, error) from None
