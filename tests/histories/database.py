"""Plain SQL for rules and checks."""

from typing import Any, NamedTuple

from tests.plain_sql import execute, rows

# Whatever a history may write, but for the audit log, which only grows.
EMPTY = (
    "TRUNCATE dlq_events, dlq_attempts, payload_versions, enriched_events, message_queue, operations,"
    " operation_items, operation_messages, operation_groups, forwarded_messages, failure_groups,"
    " revival_outcomes, pgmq.q_histories CASCADE;"
    " DELETE FROM message_archive; DELETE FROM queues; DELETE FROM shedlock; DELETE FROM retry_runs;"
    " DELETE FROM breakers; DELETE FROM paces"
)
PAST = "clock_timestamp() - interval '1 second'"


def named(row: type[NamedTuple], query: str, *values: Any) -> list[Any]:
    """The rows as tuples with names."""
    return [row._make(found) for found in rows(query, *values)]


def as_time_passes(statement: str) -> None:
    """Move a moment into the past. That changes no dead letter, so no trigger hears of it."""
    execute(f"SET session_replication_role = replica; {statement}; SET session_replication_role = origin")
