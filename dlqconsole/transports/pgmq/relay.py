"""The relay's steps for a PGMQ queue: it lives in our database, so each page is one transaction."""

from typing import Any

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.transports.dead_letters import NewDeadLetter, keep
from dlqconsole.transports.exhausted import exhaustion, status_of
from dlqconsole.transports.identities import identify_message
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.pgmq.messages import as_message, messages, new_dead_letter, put_away
from dlqconsole.transports.pgmq.tables import open_queue
from dlqconsole.transports.relay.steps import hold, lose, make_due, refuse_unsendable
from dlqconsole.transports.sql import sql

# A page of dead letters travels through this process, so it is bounded by its size, too.
PAGE_BYTES = 8 * 1024 * 1024


def forward(queue: AttachedQueue, limit: int) -> int:
    """Move due messages from our queue to the PGMQ queue. Return their number."""
    values = {"name": queue.name, "queue": queue.remote_name, "limit": limit}
    with open_queue(queue.remote_name):
        if hold(queue):
            return 0
        make_due(queue, limit)
        refuse_unsendable(queue, "it is not JSON, and PGMQ holds JSON only")
        return len(fetch_column(sql("pgmq.forward"), values))


def dead_letter_exhausted(queue: AttachedQueue, limit: int) -> int:
    """Archive messages that were read too often and write their dead letters. Return their number."""
    values = {"max_deliveries": queue.max_deliveries, "limit": limit, "bytes": PAGE_BYTES}
    with open_queue(queue.remote_name) as tables:
        hold(queue)
        ids = fetch_column(tables.within("pgmq.exhausted"), values)
        keep(queue.name, [_dead_letter(queue, row) for row in messages(tables, queue.name, ids)])
        put_away(tables, ids)
        return len(ids)


def watch(queue: AttachedQueue, limit: int) -> int:
    """Mark REVIVED dead letters SUCCEEDED when their message has left the PGMQ queue for good. Count them."""
    with open_queue(queue.remote_name) as tables:
        hold(queue)
        values = {"name": queue.name, "queue": queue.remote_name, "limit": limit}
        rows = fetch_dicts(tables.within("pgmq.gone"), values)
        lose([row["id"] for row in rows if row["dropped"]], "its queue was dropped, and made again")
        ids = [row["id"] for row in rows if not row["dropped"]]
        fetch_column(sql("relay.completed"), {"ids": ids, "who": f"consumers of {queue.name}"})
        return len(rows)


def _dead_letter(queue: AttachedQueue, row: dict[str, Any]) -> NewDeadLetter:
    identity = identify_message(as_message(queue.remote_name, row), queue.name)
    failure = exhaustion(row["attempts"])
    status = status_of(identity.event_type)
    return new_dead_letter(queue.name, row, identity, failure, status, failed_at=row["failed_at"])
