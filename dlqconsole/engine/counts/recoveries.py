"""The ways in which dead letters succeeded, and their time: of the newest of each group, for people."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts.summaries import BUDGET, TooSlow, time_budget
from dlqconsole.engine.sql import sql

# of each group as many are looked at
NEWEST = 100
# the states in which no machine goes on by itself
_ENDED = (
    DeadLetterStatus.SUCCEEDED,
    DeadLetterStatus.DISCARDED,
    DeadLetterStatus.EXHAUSTED,
    DeadLetterStatus.QUARANTINED,
)

type Row = dict[str, Any]
# a group's number, since, and until when its dead letters came
type Span = tuple[int, datetime | None, datetime | None]


def of_spans(spans: Sequence[Span], most: int = NEWEST) -> list[Row | None]:
    """Return for each span what its newest successes say; None where there are none, or no time to look."""
    if not spans:
        return []
    values = {
        "groups": [group_id for group_id, _since, _until in spans],
        "since": [since or "-infinity" for _group_id, since, _until in spans],
        "until": [until or "infinity" for _group_id, _since, until in spans],
        "most": most,
    }
    access = current_access()
    try:
        with time_budget(BUDGET):
            text = sql("recoveries.of_spans").format(letters=access.letters("d"))
            rows = fetch_dicts(text, values | access.values())
    except TooSlow:
        rows = []
    by_place = {row["place"]: row for row in rows}
    return [by_place.get(place) for place in range(1, len(spans) + 1)]


def with_heals(groups: Sequence[Row]) -> list[Row]:
    """Return groups with ``heals``: the share of what ended that healed by itself; None: nothing ended."""
    recoveries = of_spans([(group["id"], None, None) for group in groups])
    return [
        group | {"heals": by_itself(group["by_status"], recovery)}
        for group, recovery in zip(groups, recoveries, strict=True)
    ]


def by_itself(by_status: dict[str, int], recovery: Row | None) -> float | None:
    """Return the share, 0 to 1. What healed is counted; what healed it, a sample says."""
    ended = sum(by_status.get(status, 0) for status in _ENDED)
    if not ended:
        return None
    healed = by_status.get(DeadLetterStatus.SUCCEEDED, 0)
    if not healed:
        return 0.0
    return None if recovery is None else healed / ended * recovery["by_itself"] / recovery["looked_at"]
