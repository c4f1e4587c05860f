"""Many messages at once, by COPY."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

COLUMNS = ("queue", "payload", "payload_raw", "headers", "priority", "status", "next_retry_at", "group_key")


def copy(queue: str, rows: Sequence[dict[str, Any]], unlogged: bool) -> int:
    """Put rows of ``messages.sending`` on a queue in the caller's transaction; how many."""
    table = "message_queue_unlogged" if unlogged else "message_queue"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        with cursor.copy(f"COPY {table} ({', '.join(COLUMNS)}) FROM STDIN") as writer:
            for row in rows:
                due = row["at"] or now + timedelta(seconds=row["delay"])
                writer.write_row(
                    (
                        queue,
                        row["payload"],
                        row["payload_raw"],
                        row["headers"],
                        row["priority"],
                        "scheduled" if due > now else "pending",
                        due,
                        row["group_key"],
                    )
                )
    return len(rows)
