"""Messages that wait for a dead letter of their group, on queues that hold."""

from collections.abc import Mapping, Sequence
from typing import Any

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql

# So many dead letters of a queue are looked at, and so many messages are counted.
LOOK = 1_000

type Row = dict[str, Any]


def behind_dead_letters(names: Sequence[str]) -> dict[str, Row]:
    """Return, by queue: ``messages`` wait for dead letters of ``groups`` (``at_least`` so many)."""
    rows = fetch_dicts(sql("queue_metrics.behind_dead_letters"), {"names": list(names), "look": LOOK})
    return {row.pop("name"): row for row in rows}


def behind_letter(letter_id: int) -> Row:
    """Return how many ``messages`` (``at_least`` so many) wait for a dead letter, and the ``first``."""
    [row] = fetch_dicts(sql("queued_messages.behind_letter"), {"id": letter_id, "look": LOOK})
    return row


def words(row: Mapping[str, Any]) -> str:
    """Return the sentence for a queue."""
    number = f"{row['messages']:,}{' or more' if row['at_least'] else ''}"
    if row["messages"] == 1:
        return "1 message waits for the dead letter of its group: revive, retry or discard it."
    if row["groups"] == 1:
        return f"{number} messages wait for the dead letter of their group: revive, retry or discard it."
    return (
        f"{number} messages wait for dead letters of their {row['groups']:,} groups: revive, retry or"
        " discard these."
    )
