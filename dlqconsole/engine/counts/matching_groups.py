"""The failure groups of the dead letters that match a filter, with the number of those that match in each."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F

from dlqconsole.core.lifecycle.states import GroupState
from dlqconsole.engine.counts import groups, rollups
from dlqconsole.engine.counts.summaries import BUDGET, LOOKUP, WALK, TooSlow, time_budget
from dlqconsole.engine.dead_letters.excerpts import among_newest
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter

type Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MatchingGroups:
    """Groups, those with most matches first; ``has_more``: there are others.

    Each row has ``matching``, exact within ``among``, the number of newest dead letters that were looked at
    (0: all of them), and the identity, the state and the figures of the whole group.
    """

    rows: list[Row]
    has_more: bool = False
    among: int = 0


def matching_groups(matching: DeadLetterFilter, limit: int, window: int) -> MatchingGroups:
    """Return at most ``limit`` groups: exactly where counts are kept, else counted one by one.

    If counting takes too long, only the newest ``window`` dead letters are looked at. Raises TooSlow if that
    does, too.
    """
    if rollups.covers(matching):
        rollups.fold_when_many()
        return _with_figures(rollups.by_group(matching, limit + 1), limit)
    letters = matching.queryset()
    for rows, plan, among in (
        (letters, LOOKUP if matching.is_search else "", 0),
        (among_newest(letters, window), WALK, window),
    ):
        groups_of_rows = rows.order_by().values(id_of_group=F("group_id")).annotate(matching=Count("pk"))
        largest = groups_of_rows.order_by("-matching", "id_of_group")[: limit + 1]
        try:
            with time_budget(BUDGET, plan):
                counts = [{"id": row["id_of_group"], "matching": row["matching"]} for row in largest]
        except TooSlow:
            continue
        return _with_figures(counts, limit, among)
    raise TooSlow


def _with_figures(rows: list[Row], limit: int, among: int = 0) -> MatchingGroups:
    first = rows[:limit]
    states = {row["id"]: row["state"] for row in groups.states([row["id"] for row in first])}
    full = groups.describe([row | {"state": states.get(row["id"], GroupState.OPEN)} for row in first])
    return MatchingGroups(full, len(rows) > limit, among)
