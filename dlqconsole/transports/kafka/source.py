"""Topics of one Kafka, as far as they are queues: records are published, and nobody claims them here.

A topic has no leases: its consumers share it by group and position, and none can give back one record.
So there is nothing to claim, to extend or to complete, and consumers of ours refuse it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from django.conf import settings

from dlqconsole.configuration.kafka_properties import read_properties
from dlqconsole.core.errors import InvalidMessage, InvalidQueue, UnknownQueue
from dlqconsole.pipeline.errors import BadRequest, PipelineProblem
from dlqconsole.pipeline.kafka.client import check_client
from dlqconsole.pipeline.kafka.cluster import Cluster
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.kafka.places import REMOTE_ID_LIMIT, place_of, unread
from dlqconsole.transports.kafka.publishing import publish
from dlqconsole.transports.kafka.records import check_name, outgoing
from dlqconsole.transports.sending import sendable_delay
from dlqconsole.transports.source import Delivery, QueueMetrics, Source


class KafkaSource(Source):
    """Publishes, at least once: what is sent again carries the same ``dlq_revive_id``."""

    prefix = "kafka"
    leases_per_message = False
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
        """Return the ids that the failed group has not read past; none where the group is unknown."""
        waiting = [place for place in map(place_of, ids) if place.group]
        if not waiting:
            return set()
        cluster = self._cluster()
        try:
            return unread(cluster, queue, waiting)
        except PipelineProblem as error:
            raise TransportUnavailable(f"{error}.") from None
        finally:
            cluster.close()

    def metrics(self, queue: str) -> QueueMetrics:
        """Count the records that the topic keeps. Its groups' positions are their own business."""
        cluster = self._cluster()
        try:
            places = cluster.places((check_name(queue),))
            count = sum(high - low for low, high in (cluster.bounds(*place) for place in places))
        except BadRequest as error:
            raise UnknownQueue(f"{error}.") from None
        except (PipelineProblem, InvalidMessage) as error:
            problem = str(error).rstrip(".")
            raise (UnknownQueue if isinstance(error, InvalidMessage) else TransportUnavailable)(
                f"{problem}."
            ) from None
        finally:
            cluster.close()
        return QueueMetrics(queue, count, 0, 0, None)

    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        """Refuse: raises InvalidQueue."""
        self._refuse()

    def extend(self, messages: Sequence[Delivery], lease_seconds: float) -> set[str]:
        """Refuse: raises InvalidQueue."""
        self._refuse()

    def complete(self, messages: Sequence[Delivery]) -> set[str]:
        """Refuse: raises InvalidQueue."""
        self._refuse()

    def release(self, messages: Sequence[Delivery], *, delay_seconds: float = 0) -> set[str]:
        """Refuse: raises InvalidQueue."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise InvalidQueue(self.not_claimed)

    def _cluster(self) -> Cluster:
        try:
            return Cluster(self._properties)
        except BadRequest as error:
            raise TransportUnavailable(f"{error}.") from None


def from_settings() -> KafkaSource:
    """Return the Kafka of DLQ_KAFKA_SERVERS and DLQ_KAFKA_CONFIG. Raises TransportUnavailable if unset."""
    if not settings.DLQ_KAFKA_SERVERS:
        raise TransportUnavailable("No Kafka is configured: set DLQ_KAFKA_SERVERS to use Kafka's topics.")
    try:
        properties = read_properties(settings.DLQ_KAFKA_CONFIG)
        return KafkaSource(check_client({**properties, "bootstrap.servers": settings.DLQ_KAFKA_SERVERS}))
    except (BadRequest, ValueError) as error:
        raise TransportUnavailable(f"{str(error).rstrip('.')}.") from None
