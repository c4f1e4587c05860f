"""Failure groups with their figures: the burning ones, the list, one group."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from dlqconsole.core.lifecycle.states import DeadLetterStatus, GroupState
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import recoveries, rollups
from dlqconsole.engine.counts.summaries import (
    BUDGET,
    DAY,
    TooSlow,
    every_hour,
    this_hour,
    time_budget,
    trend_rows,
)
from dlqconsole.engine.models import FailureGroup, GroupMerge
from dlqconsole.engine.sql import sql

WEEK = 7 * DAY  # hours
AFFECTED = 2_000  # dead letters of each status that tell what is affected

# what the list is sorted by: the heading's name, and its column
SORTS = {
    "recent": "coalesce(l.recent, 0)",
    "waiting": "f.pending",
    "all": "f.total",
    "first_seen": "f.first_seen",
    "last_seen": "f.last_seen",
}
BURNING = "-recent"

type Row = dict[str, Any]


def burning(limit: int = 8) -> list[Row]:
    """Return the open groups of the last 24 hours, those first that come fastest against their own past.

    ``rate``: an hour, of this hour and the one before; ``usual``: in the week before that.
    ``heals``: see ``recoveries.by_itself``.
    """
    rollups.fold_when_many()
    rows, _about = trend_rows(_sql("burning"), {"limit": limit, "hours": WEEK}, WEEK)
    return recoveries.with_heals(describe(rows))


def list_groups(states: Sequence[str], owner: str = "", limit: int = 100, sort: str = BURNING) -> list[Row]:
    """Return groups in these states, of this owner where one is given.

    ``sort``: one of SORTS, with a minus before it the other way round.
    """
    rollups.fold_when_many()
    values = {"states": [str(state) for state in states], "owner": owner, "limit": limit}
    rows, _about = trend_rows(_sql("listed", sort), values, DAY)
    return describe(rows)


def count_by_state() -> dict[str, int]:
    """Count the groups in each state now."""
    counts = {row["state"]: row["count"] for row in fetch_dicts(_sql("states"), current_access().values())}
    return {state: counts.get(state, 0) for state in GroupState}


def owners() -> list[str]:
    """Return everybody who owns a group, by name."""
    return fetch_column(_sql("owners"), current_access().values())


def regressed(limit: int = 5) -> list[Row]:
    """Return the groups that failed again after somebody had resolved them, newest first."""
    rows = fetch_dicts(_sql("regressed"), {"limit": limit} | current_access().values())
    return describe([row | {"recent": 0, "state": GroupState.REGRESSED} for row in rows])


def group(group_id: int) -> Row | None:
    """Return one group with its figures and its state as it is now, or None.

    ``is_whole``: no dead letter of it is out of scope.
    """
    some, whole = visibility(group_id)
    rows = states([group_id]) if some else []
    if not rows:
        return None
    return describe([{"recent": 0, **rows[0]}])[0] | {"is_whole": whole}


def states(group_ids: list[int]) -> list[Row]:
    """Return the state of each group as it is now; ``over``: why its snooze ends. In no order."""
    return fetch_dicts(_sql("states_of"), {"ids": group_ids})


def titles(group_ids: Iterable[int]) -> dict[int, str]:
    """Return the titles of groups; unknown groups and those out of scope are left out."""
    visible = [group_id for group_id in set(group_ids) if visibility(group_id)[0]]
    names = ((pk, row.message or row.error_class) for pk, row in _visible_groups(visible).items())
    return {pk: title.strip() for pk, title in names if title.strip()}


def identities(group_ids: Iterable[int]) -> dict[int, Row]:
    """Return the names of groups: ``title``, ``event_type``, ``error_class`` and others; empty if unseen."""
    ids = list(set(group_ids))
    visible = _visible_groups(ids)
    return {group_id: _identity(group_id, visible.get(group_id)) for group_id in ids}


def visibility(group_id: int) -> tuple[bool, bool]:
    """Tell whether some of a group lies within the scope, and whether all of it does."""
    access = current_access()
    if not access.is_limited:
        return True, True
    [row] = fetch_dicts(_sql("seen"), {"id": group_id} | access.values())
    return row["some"], row["whole"]


def week(group_id: int) -> list[dict[str, Any]]:
    """Count the dead letters of each hour of the last week, oldest first: ``start``, ``count``, ``about``."""
    hours, about = _hours([group_id], WEEK)
    return [row | {"about": about} for row in every_hour(hours[group_id], this_hour(), WEEK)]


def newest(group_id: int, limit: int = 10) -> list[Row]:
    """Return a group's newest dead letters, newest first, each with the beginning of its reason."""
    values = {"id": group_id, "statuses": list(DeadLetterStatus), "limit": limit}
    return fetch_dicts(_sql("newest"), values | current_access().values())


def affected(group_id: int, limit: int = 8) -> list[Row]:
    """Return the things that the newest dead letters are about, most frequent first; empty if too slow."""
    values = {"id": group_id, "statuses": list(DeadLetterStatus), "newest": AFFECTED, "limit": limit}
    try:
        with time_budget(BUDGET):
            return fetch_dicts(_sql("affected"), values | current_access().values())
    except TooSlow:
        return []


def _sql(verb: str, sort: str = BURNING) -> str:
    """Return a query with the SQL of a group's state and of the scope in it; ``{trend}`` is left to fill."""
    access = current_access()
    over, totals = rollups.snooze_over(), rollups.totals()
    within = sql("groups.within").format(totals=totals) if access.is_limited else ""
    return sql(f"groups.{verb}").format(
        state=sql("groups.state").format(over=over),
        over=over,
        trend="{trend}",
        totals=totals,
        within=within,
        written="" if access.is_limited else sql("groups.written"),
        counted=access.columns("t.queue", "t.event_type"),
        letters=access.letters("d"),
        order=SORTS[sort.removeprefix("-")] + (" DESC" if sort.startswith("-") else ""),
    )


def describe(rows: list[Row]) -> list[Row]:
    """Add its identity and figures to each group's ``id`` and what else a row has.

    ``about``: its hours could not all be counted in time.
    """
    if not rows:
        return []
    ids = [row["id"] for row in rows]
    groups = _visible_groups(ids)
    hours, about = _hours(ids, DAY)
    figures, last = _figures(ids), this_hour()
    owners_by_id = {row["id"]: row["owner"] for row in fetch_dicts(_sql("owners_of"), {"ids": list(groups)})}
    return [
        row
        | _identity(row["id"], groups.get(row["id"]))
        | {"owner": owners_by_id.get(row["id"], "")}
        | figures[row["id"]]
        | {"hourly": [hour["count"] for hour in every_hour(hours[row["id"]], last)], "about": about}
        for row in rows
    ]


def _visible_groups(ids: list[int]) -> dict[int, FailureGroup]:
    """Return the groups' rows, without those named after a failure that is out of scope."""
    access = current_access()
    groups = FailureGroup.objects.in_bulk(ids)
    merged_ids = set(GroupMerge.objects.filter(group_id__in=ids).values_list("group_id", flat=True))
    if not access.is_limited or not merged_ids:
        return groups
    visible_ids = fetch_column(_sql("named_within"), {"ids": list(merged_ids)} | access.values())
    return {pk: group for pk, group in groups.items() if pk not in merged_ids or pk in visible_ids}


def _identity(group_id: int, row: FailureGroup | None) -> Row:
    return {
        "title": str(row) if row else f"group {group_id}",
        "event_type": row.event_type if row else "",
        "error_class": row.error_class if row else "",
        "error_category": row.error_category if row else "",
        "message": row.message if row else "",
        "ticket": row.ticket if row else "",
    }


def _figures(ids: list[int]) -> dict[int, Row]:
    rows = fetch_dicts(_sql("figures"), {"ids": ids} | current_access().values())
    of: dict[int, list[Row]] = {group_id: [] for group_id in ids}
    for row in rows:
        of[row["id"]].append(row)
    return {group_id: _sum_up(group_rows) for group_id, group_rows in of.items()}


def _sum_up(rows: list[Row]) -> Row:
    counts = {row["status"]: row["count"] for row in rows}
    by_status = {status: counts[status] for status in DeadLetterStatus if counts.get(status)}
    return {
        "total": sum(by_status.values()),
        "pending": by_status.get(DeadLetterStatus.PENDING, 0),
        "occurrences": sum(row["occurrences"] for row in rows),
        "by_status": by_status,
        "first_seen": min((row["first_seen"] for row in rows if row["first_seen"]), default=None),
        "last_seen": max((row["last_seen"] for row in rows if row["last_seen"]), default=None),
    }


def _hours(ids: list[int], hours: int) -> tuple[dict[int, dict[datetime, int]], bool]:
    """Count by group and hour; True: there are more than could be counted in time."""
    counts: dict[int, dict[datetime, int]] = {group_id: {} for group_id in ids}
    rows, about = trend_rows(_sql("hours"), {"ids": ids, "hours": hours}, hours)
    for row in rows:
        counts[row["id"]][row["start"]] = row["count"]
    return counts, about
