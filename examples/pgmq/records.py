"""What the client's methods return, as PGMQ's do."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass
class Message:
    """A message. ``read_ct``: attempts begun. Of a popped one nobody knows ``enqueued_at`` any more."""

    msg_id: int
    read_ct: int
    enqueued_at: datetime | None
    last_read_at: datetime | None
    vt: datetime | None
    message: Any
    headers: dict[str, Any]


@dataclass
class QueueRecord:
    """A queue that somebody has created."""

    queue_name: str
    is_unlogged: bool
    created_at: datetime
    is_partitioned: bool = False


@dataclass
class QueueMetrics:
    """The figures of a queue. ``total_messages``: there now, and handled this week."""

    queue_name: str
    queue_length: int
    newest_msg_age_sec: int | None
    oldest_msg_age_sec: int | None
    total_messages: int
    scrape_time: datetime
    queue_visible_length: int


@dataclass
class TopicBinding:
    """A pattern of routing keys, and a queue that gets what is sent to them."""

    pattern: str
    queue_name: str
    bound_at: datetime


@dataclass
class BatchTopicResult:
    """A message on one of the queues that its topic reaches."""

    queue_name: str
    msg_id: int
