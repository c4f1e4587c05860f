"""The queues whose messages a breaker stops."""

from collections.abc import Sequence
from typing import Any

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine import breakers
from dlqconsole.engine.breakers import State
from dlqconsole.engine.sql import sql

# so many messages of each queue are looked at, and only while a breaker is open
LOOK = 200


def blocked_by_breaker(names: Sequence[str]) -> dict[str, State]:
    """Return, by queue, the breaker that stops the most of its first messages, or of the queue's name.

    Only the name of another system's queue tells the type of its messages.
    """
    blocking = [state for state in breakers.states() if state.blocks]
    by_type = {kind: state for state in blocking for kind in state.event_types}
    if not by_type:
        return {}
    by_name = {name: by_type[kind] for name in names if (kind := name.rpartition(":")[2]) in by_type}
    return by_name | {row["name"]: by_type[row["event_type"]] for row in _standing(names, list(by_type))}


def _standing(names: Sequence[str], event_types: list[str]) -> list[dict[str, Any]]:
    return fetch_dicts(
        sql("queue_metrics.of_types"), {"names": list(names), "event_types": event_types, "look": LOOK}
    )
