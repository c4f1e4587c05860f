"""Set revived dead letters back to their former status when their message is nowhere, with a reason.

A DELETE settles them at once, by a trigger. This finds what no trigger has seen: a TRUNCATE, an unlogged
table after a crash, a restored backup, a queue that is attached no more.
"""

import time
from functools import partial
from typing import Any

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.transports.sql import sql

PAGE = 1_000
EVERY_SECONDS = 60.0
START = ("-infinity", 0)
# the place where the next look of this process begins: the last one had no time for the rest
_place = START


def settle(seconds: float = 2.0) -> int:
    """Check revived dead letters page by page for about so long. Return how many were set back."""
    global _place
    count, deadline = 0, time.monotonic() + seconds
    while True:
        page = _look(_place)
        if page["lost"]:
            count += retry_transient(partial(_settle, page["lost"]))
        more = page["looked_at"] == PAGE
        _place = (page["place"], page["id"]) if more else START
        if not more or time.monotonic() > deadline:
            return count


def query(name: str) -> str:
    """Return a query of this module with the condition of a lost message in it."""
    return sql(name).replace("{lost}", sql("lost.lost"))


def _look(place: tuple[str, int]) -> dict[str, Any]:
    return fetch_dicts(query("lost.look"), {"place": place[0], "id": place[1], "limit": PAGE})[0]


def _settle(ids: list[int]) -> int:
    return len(fetch_column(query("lost.settle"), {"ids": ids}))
