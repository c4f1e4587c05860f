"""Many messages at once, by COPY."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

_AS_THEY_ARE = ("payload", "payload_raw", "headers", "priority", "group_key")
COLUMNS = ("queue", *_AS_THEY_ARE, "status", "next_retry_at")


def copy(queue: str, rows: Sequence[dict[str, Any]], unlogged: bool) -> int:
    """Put rows of ``messages.sending`` on a queue in the caller's transaction; how many."""
    table = "message_queue_unlogged" if unlogged else "message_queue"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        with cursor.copy(f"COPY {table} ({', '.join(COLUMNS)}) FROM STDIN") as writer:
            for row in rows:
                writer.write_row((queue, *(row[name] for name in _AS_THEY_ARE), *_due(row, now)))
    return len(rows)


def _due(row: Mapping[str, Any], now: datetime) -> tuple[str, str]:
    """Status and moment, as text: to write a moment for each row would take half of the time."""
    if not row["delay"] and row["at"] is None:
        return "pending", now.isoformat()
    due = row["at"] or now + timedelta(seconds=row["delay"])
    return "scheduled" if due > now else "pending", due.isoformat()
