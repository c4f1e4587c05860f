"""Failure groups with their figures: what burns, the list, one group."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from dlqconsole.engine.counts import rollups
from dlqconsole.engine.counts.summaries import BUDGET, TooSlow, every_hour, this_hour, time_budget
from dlqconsole.engine.groups import states as group_states
from dlqconsole.engine.lifecycle.states import DeadLetterStatus, GroupState
from dlqconsole.engine.models import FailureGroup
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.sql import sql

DAY, WEEK = 24, 7 * 24  # hours
AFFECTED = 2_000  # dead letters of each status that tell what is affected

type Row = dict[str, Any]


def burning(limit: int = 8) -> list[Row]:
    """The open groups that most of the last 24 hours' dead letters are in, worst first."""
    rollups.fold_when_many()
    return _described(fetch_dicts(_sql("burning"), {"limit": limit}))


def listed(states: Sequence[str], owner: str = "", limit: int = 100) -> list[Row]:
    """Groups in these states, and of this owner where one is given, those that burn first."""
    rollups.fold_when_many()
    values = {"states": [str(state) for state in states], "owner": owner, "limit": limit}
    return _described(fetch_dicts(_sql("listed"), values))


def count_by_state() -> dict[str, int]:
    """How many groups stand in each state now."""
    found = {row["state"]: row["count"] for row in fetch_dicts(_sql("states"), {})}
    return {state: found.get(state, 0) for state in GroupState.values}


def owners() -> list[str]:
    """Everybody who owns a group, by name."""
    return fetch_column(sql("groups.owners"), {})


def regressed(limit: int = 5) -> list[Row]:
    """The groups that came back after somebody had resolved them, newest first."""
    rows = fetch_dicts(sql("groups.regressed"), {"limit": limit})
    return _described([row | {"recent": 0, "state": GroupState.REGRESSED} for row in rows])


def group(group_id: int) -> Row | None:
    """One group with its figures and its state as it is now, or None."""
    found = fetch_dicts(_sql("state_of"), {"id": group_id})
    if not found:
        return None
    return _described([{"id": group_id, "recent": 0, **found[0]}])[0]


def week(group_id: int) -> list[dict[str, Any]]:
    """Dead letters of each hour of the last seven days, oldest first: ``start``, ``count``."""
    found = _hours([group_id], WEEK)[group_id]
    return every_hour(found, this_hour(), WEEK)


def newest(group_id: int, limit: int = 10) -> list[Row]:
    """A group's newest dead letters, newest first: what each is, and the beginning of its reason."""
    values = {"id": group_id, "statuses": DeadLetterStatus.values, "limit": limit}
    return fetch_dicts(sql("groups.newest"), values)


def affected(group_id: int, limit: int = 8) -> list[Row]:
    """What the newest dead letters are about, most frequent first; empty where that takes too long."""
    values = {"id": group_id, "statuses": DeadLetterStatus.values, "newest": AFFECTED, "limit": limit}
    try:
        with time_budget(BUDGET):
            return fetch_dicts(sql("groups.affected"), values)
    except TooSlow:
        return []


def _sql(verb: str) -> str:
    """A query with the SQL of a group's state in it."""
    over = group_states.over()
    return sql(f"groups.{verb}").format(state=sql("groups.state").format(over=over), over=over)


def _described(rows: list[Row]) -> list[Row]:
    """Add to each group's id, recent count and state what it is, and its figures."""
    ids = [row["id"] for row in rows]
    known = FailureGroup.objects.in_bulk(ids)
    figures, hours, last = _figures(ids), _hours(ids, DAY), this_hour()
    return [
        row
        | _identity(row["id"], known.get(row["id"]))
        | figures[row["id"]]
        | {"hourly": [hour["count"] for hour in every_hour(hours[row["id"]], last)]}
        for row in rows
    ]


def _identity(group_id: int, known: FailureGroup | None) -> Row:
    return {
        "title": str(known) if known else f"group {group_id}",
        "event_type": known.event_type if known else "",
        "error_class": known.error_class if known else "",
        "error_category": known.error_category if known else "",
        "message": known.message if known else "",
        "owner": known.owner if known else "",
        "ticket": known.ticket if known else "",
    }


def _figures(ids: list[int]) -> dict[int, Row]:
    rows = fetch_dicts(sql("groups.figures"), {"ids": ids})
    of: dict[int, list[Row]] = {group_id: [] for group_id in ids}
    for row in rows:
        of[row["id"]].append(row)
    return {group_id: _summed(found) for group_id, found in of.items()}


def _summed(rows: list[Row]) -> Row:
    found = {row["status"]: row["count"] for row in rows}
    by_status = {status: found[status] for status in DeadLetterStatus.values if found.get(status)}
    return {
        "total": sum(by_status.values()),
        "pending": by_status.get(DeadLetterStatus.PENDING, 0),
        "occurrences": sum(row["occurrences"] for row in rows),
        "by_status": by_status,
        "first_seen": min((row["first_seen"] for row in rows if row["first_seen"]), default=None),
        "last_seen": max((row["last_seen"] for row in rows if row["last_seen"]), default=None),
    }


def _hours(ids: list[int], hours: int) -> dict[int, dict[datetime, int]]:
    found: dict[int, dict[datetime, int]] = {group_id: {} for group_id in ids}
    for row in fetch_dicts(sql("groups.hours"), {"ids": ids, "hours": hours}):
        found[row["id"]][row["start"]] = row["count"]
    return found
