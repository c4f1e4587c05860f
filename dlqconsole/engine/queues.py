"""What stands on each queue."""

from typing import Any

from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql

_EMPTY = {"visible": 0, "in_flight": 0, "scheduled": 0, "oldest_due_seconds": None, "paused": False}


def metrics(*, estimate: bool = False) -> list[dict[str, Any]]:
    """One row a queue that has a policy, messages or dead letters, by name.

    ``visible``, ``in_flight``, ``scheduled``: messages; ``oldest_due_seconds``: age of the oldest claimable
    one, None when there is none; ``dead_letters``: those that still wait for somebody, counted or, in a
    table too large for that, estimated from a sample; ``paused``.
    """
    counted = fetch_dicts(sql("queues.dead_letters_estimated" if estimate else "queues.dead_letters"), {})
    dead = {row["name"]: row["dead_letters"] for row in counted}
    live = {row["name"]: row for row in fetch_dicts(sql("queues.live"), {})}
    return [
        _EMPTY | {"name": name} | live.get(name, {}) | {"dead_letters": dead.get(name, 0)}
        for name in sorted(live.keys() | dead.keys())
    ]
