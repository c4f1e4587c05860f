"""Where a published record stands, and whether the group that it was for has read past it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from dlqconsole.pipeline.kafka.cluster import Cluster

# what ``forwarded_messages.remote_id`` holds
REMOTE_ID_LIMIT = 255


@dataclass(frozen=True, slots=True)
class Published:
    """A record by its remote id, ``3-17`` or ``3-17@billing``."""

    id: str
    partition: int
    offset: int
    group: str


def place_of(remote_id: str) -> Published:
    """What a remote id says."""
    place, _at, group = remote_id.partition("@")
    partition, _dash, offset = place.partition("-")
    return Published(remote_id, int(partition), int(offset), group)


def unread(cluster: Cluster, topic: str, published: Sequence[Published]) -> set[str]:
    """The ids of those that their group has still to read. Raises KafkaAway."""
    by_group: dict[str, list[Published]] = defaultdict(list)
    for each in published:
        by_group[each.group].append(each)
    waiting: set[str] = set()
    for group, records in by_group.items():
        places = sorted({(topic, each.partition) for each in records})
        at = cluster.committed_offsets(group, places)
        waiting |= {each.id for each in records if at.get((topic, each.partition), 0) <= each.offset}
    return waiting
