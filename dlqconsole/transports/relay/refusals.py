"""Messages that the other system cannot take become dead letters: visible, and out of the others' way."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.core.handling import StoredEvent, identify
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.processing.categories import PERMANENT
from dlqconsole.processing.headers import read_headers
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.dead_letters import NewDeadLetter, keep
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.sql import sql

PAGE = 100


def refuse_unsendable(queue: AttachedQueue, why: str) -> None:
    """Dead-letter messages without JSON, for a queue that takes nothing else; in the caller's transaction."""
    rows = fetch_dicts(sql("relay.unsendable"), {"name": queue.name, "limit": PAGE})
    refuse(queue, [(row, why) for row in rows])


def refuse(queue: AttachedQueue, rows: list[tuple[Mapping[str, Any], str]]) -> None:
    """Move locked rows of our queue to the dead letters, each with its reason."""
    if rows:
        keep(queue.name, [_dead_letter(queue, row, why) for row, why in rows])
        fetch_dicts(sql("relay.leave"), {"ids": [row["id"] for row, _why in rows]})


def _dead_letter(queue: AttachedQueue, row: Mapping[str, Any], why: str) -> NewDeadLetter:
    raw = None if row["payload_raw"] is None else bytes(row["payload_raw"])
    # its number is one of our queue's, not of theirs
    raw_event = StoredEvent(row["payload"], raw, read_headers(row["headers"]), queue.name, str(row["id"]))
    return NewDeadLetter(
        message_id=str(row["id"]),
        payload=row["payload"],
        payload_raw=raw,
        headers=row["headers"],
        identity=identify(raw_event),
        failure=Failed(f"NotForwarded: {queue.name} did not take it: {why}", PERMANENT, "NotForwarded", ""),
        status=DeadLetterStatus.PENDING,
        revival=row["dlq_event_id"] and (row["dlq_event_id"], row["revive_seq"]),
    )
