"""Messages on our side that may be forwarded from now on."""

from dlqconsole.engine import messages
from dlqconsole.engine.errors import UnknownQueue
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.sql import sql


def make_due(queue: AttachedQueue, limit: int) -> None:
    """What was sent for later, and what waited behind another of its group, in the caller's transaction.

    Until that ends, nobody can detach the queue. Raises UnknownQueue when somebody has.
    """
    if not fetch_column(sql("relay.hold"), {"name": queue.name}):
        raise UnknownQueue(f"The queue {queue.name} is attached no more.")
    fetch_column(sql("relay.stage"), {"name": queue.name, "limit": limit})
    messages.call_forgotten(queue.name)
