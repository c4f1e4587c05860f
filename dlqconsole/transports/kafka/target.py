"""Topics of one Kafka, as far as they are queues: records are published, and nobody claims them here.

A topic has no leases: its consumers share it by group and position, and none can give back one record.
So there is nothing to claim, and consumers of ours refuse it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.conf import settings

from dlqconsole.configuration.addresses import read_properties
from dlqconsole.core.errors import InvalidMessage, UnknownQueue
from dlqconsole.pipeline.errors import BadRequest, PipelineProblem
from dlqconsole.pipeline.kafka.client import Cluster, check_client
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.kafka.records import check_name, outgoing, publish
from dlqconsole.transports.sending import sendable_delay
from dlqconsole.transports.target import QueueMetrics, Target

# the length of ``forwarded_messages.remote_id``
REMOTE_ID_LIMIT = 255


class KafkaTarget(Target):
    """Publishes, at least once: what is sent again carries the same ``dlq_revive_id``."""

    prefix = "kafka"
    marks_repeats = True
    takes_bytes = True
    not_claimed: ClassVar[str] = (
        "Kafka's topics are read by position, and no record of them can be claimed or given back: read them"
        " by python -m dlqconsole.pipeline ingest --source kafka://broker:9092/topic."
    )

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = dict(properties)

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, Any] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Publish one record, its bytes as given. Return its partition and offset, and its group.

        ``x-kafka-key`` among the headers is its key. Nothing is delayed over there. Raises InvalidMessage,
        UnknownQueue, TransportUnavailable.
        """
        if sendable_delay(delay_seconds):
            raise InvalidMessage("A topic cannot hold a record back: it is there at once, or not yet sent.")
        record = outgoing(payload, headers or {}, dedupe_key)
        partition, offset = publish(self._properties, check_name(queue), record)
        place = f"{partition}-{offset}"
        remote_id = f"{place}@{record.group}" if record.group else place
        return remote_id if len(remote_id) <= REMOTE_ID_LIMIT else place

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return the ids that the failed group has not read past, and those whose group is unknown."""
        places = [_place_of(each) for each in ids]
        unknown = {place.id for place in places if not place.group}
        waiting = [place for place in places if place.group]
        if not waiting:
            return unknown
        try:
            with self._cluster() as cluster:
                return unknown | _unread(cluster, queue, waiting)
        except PipelineProblem as error:
            raise TransportUnavailable(f"{error}.") from None

    def tells_of(self, message_id: str) -> bool:
        """Tell whether the failed group is known: its position says when it has read past the record."""
        return bool(_place_of(message_id).group)

    def metrics(self, queue: str) -> QueueMetrics:
        """Count the records that the topic keeps. Its groups' positions are their own business."""
        try:
            with self._cluster() as cluster:
                places = cluster.places((check_name(queue),))
                count = sum(high - low for low, high in (cluster.bounds(*place) for place in places))
        except (BadRequest, InvalidMessage) as error:
            raise UnknownQueue(f"{str(error).rstrip('.')}.") from None
        except PipelineProblem as error:
            raise TransportUnavailable(f"{error}.") from None
        return QueueMetrics(queue, count, 0, 0, None)

    def _cluster(self) -> Cluster:
        try:
            return Cluster(self._properties)
        except BadRequest as error:
            raise TransportUnavailable(f"{error}.") from None


def from_settings() -> KafkaTarget:
    """Return the Kafka of DLQ_KAFKA_SERVERS and DLQ_KAFKA_CONFIG. Raises TransportUnavailable if unset."""
    if not settings.DLQ_KAFKA_SERVERS:
        raise TransportUnavailable("No Kafka is configured: set DLQ_KAFKA_SERVERS to use Kafka's topics.")
    try:
        properties = read_properties(settings.DLQ_KAFKA_CONFIG)
        return KafkaTarget(check_client({**properties, "bootstrap.servers": settings.DLQ_KAFKA_SERVERS}))
    except (BadRequest, ValueError) as error:
        raise TransportUnavailable(f"{str(error).rstrip('.')}.") from None


@dataclass(frozen=True, slots=True)
class PublishedRecord:
    """A record by its remote id, ``3-17`` or ``3-17@billing``."""

    id: str
    partition: int
    offset: int
    group: str


def _place_of(remote_id: str) -> PublishedRecord:
    """Parse a remote id."""
    place, _at, group = remote_id.partition("@")
    partition, _dash, offset = place.partition("-")
    return PublishedRecord(remote_id, int(partition), int(offset), group)


def _unread(cluster: Cluster, topic: str, all_records: Sequence[PublishedRecord]) -> set[str]:
    """Return the ids of the records that their group has still to read. Raises KafkaAway."""
    by_group: dict[str, list[PublishedRecord]] = defaultdict(list)
    for each in all_records:
        by_group[each.group].append(each)
    waiting: set[str] = set()
    for group, records in by_group.items():
        places = sorted({(topic, each.partition) for each in records})
        at = cluster.committed_offsets(group, places)
        waiting |= {each.id for each in records if at.get((topic, each.partition), 0) <= each.offset}
    return waiting
