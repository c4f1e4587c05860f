"""The place of a published record, and whether its consumer group has read past it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from dlqconsole.pipeline.kafka.cluster import Cluster

# the length of ``forwarded_messages.remote_id``
REMOTE_ID_LIMIT = 255


@dataclass(frozen=True, slots=True)
class PublishedRecord:
    """A record by its remote id, ``3-17`` or ``3-17@billing``."""

    id: str
    partition: int
    offset: int
    group: str


def place_of(remote_id: str) -> PublishedRecord:
    """Parse a remote id."""
    place, _at, group = remote_id.partition("@")
    partition, _dash, offset = place.partition("-")
    return PublishedRecord(remote_id, int(partition), int(offset), group)


def unread(cluster: Cluster, topic: str, all_records: Sequence[PublishedRecord]) -> set[str]:
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
