"""What a step of the relay begins with."""

from dlqconsole.engine import messages
from dlqconsole.engine.errors import UnknownQueue
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.sql import sql


def hold(queue: AttachedQueue) -> None:
    """Until the caller's transaction ends, nobody can detach the queue. Raises UnknownQueue: somebody has."""
    if not fetch_column(sql("relay.hold"), {"name": queue.name}):
        raise UnknownQueue(f"The queue {queue.name} is attached no more.")


def make_due(queue: AttachedQueue, limit: int) -> None:
    """What was sent for later, and what waited behind another of its group, in the caller's transaction."""
    fetch_column(sql("relay.stage"), {"name": queue.name, "limit": limit})
    messages.unblock_forgotten(queue.name)
