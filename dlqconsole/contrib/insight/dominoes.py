"""First dominoes: the groups that fail with the ids of another, before it or after it."""

from dataclasses import dataclass
from typing import Any

from dlqconsole.contrib.insight import joining
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts.summaries import time_budget

BUDGET = 700  # milliseconds

type Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Dominoes:
    """The groups in the order of failing, and the sample that tells it.

    ``sampled`` of the newest dead letters were looked at, ``with_ids`` of them have ids, ``left_out`` ids are
    those of too many. A row has ``id`` and counts of dead letters: of the sample, that its own failed
    ``before`` or ``after``; of its own, those upstream that are ``unfinished``, and which of them are the
    first of a cascade: ``to_revive``, ``under_way``; those downstream that are ``still_open``, and ``rest``:
    those whose upstream dead letters in the sample succeeded.
    """

    sampled: int
    with_ids: int
    left_out: int
    upstream: list[Row]
    downstream: list[Row]


def dominoes(group_id: int) -> Dominoes:
    """Look at a group's newest dead letters, as far as who asks sees them. Raises TooSlow."""
    values = joining.values(group_id) | current_access().values()
    with time_budget(BUDGET):
        rows = fetch_dicts(joining.query("groups"), values)
    groups = [row for row in rows if row["id"] is not None]
    return Dominoes(
        rows[0]["sampled"],
        rows[0]["with_ids"],
        rows[0]["left_out"],
        upstream=[row for row in groups if _is_upstream(row)],
        downstream=[row for row in groups if not _is_upstream(row)],
    )


def _is_upstream(row: Row) -> bool:
    """Tell whether it failed first more often than last."""
    before, after = row["before"], row["after"]
    return bool(before > after or (before == after and row["apart"] < 0))
