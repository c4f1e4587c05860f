"""The archive of completed messages: a partition a day, dropped when no queue keeps messages so long."""

from dlqconsole.engine.models import Queue
from dlqconsole.engine.models.queues import Retention
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.engine.sql import sql

DAYS_AHEAD = 7
PAGE = 5_000
PAGES = 20
DEFAULT_DAYS = 30


def keep() -> None:
    """Make the coming days' partitions, drop the outlived ones, delete what queues keep for less long."""
    fetch_column("SELECT message_archive_prepare(%(days)s)", {"days": DAYS_AHEAD})
    queues = dict(Queue.objects.filter(retention=Retention.ARCHIVE).values_list("name", "archive_days"))
    longest = max(queues.values(), default=DEFAULT_DAYS)
    fetch_column("SELECT message_archive_drop(%(days)s)", {"days": longest})
    for queue, days in sorted(queues.items()):
        if days < longest:
            _delete_older(queue, days)


def _delete_older(queue: str, days: int) -> None:
    for _ in range(PAGES):
        values = {"queue": queue, "days": days, "limit": PAGE}
        if len(fetch_column(sql("queues.delete_archived"), values)) < PAGE:
            return
