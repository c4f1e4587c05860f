"""Messages on our side that may be forwarded from now on."""

from dlqconsole.engine import messages
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.sql import sql


def make_due(queue: AttachedQueue, limit: int) -> None:
    """What was sent for later, and what waited behind another of its group, in the caller's transaction."""
    fetch_column(sql("relay.stage"), {"name": queue.name, "limit": limit})
    messages.call_forgotten(queue.name)
