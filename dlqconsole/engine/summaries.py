"""Figures for people to look at: counts, groups, trends.

A page never waits for a count: what does not answer within its time budget is estimated, and says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Count as CountOf
from django.db.models import QuerySet

from dlqconsole.engine.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter, FailureGroup
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.sql import sql
from dlqconsole.engine.states import DeadLetterStatus

BUDGET = 500  # milliseconds a count may take
LARGE = 300_000  # dead letters beyond which the first page estimates what it can
NEWEST = 20_000  # dead letters that decide what burns
_CANCELED = "57014"


class TooSlow(Exception):
    """A question took longer than its time budget."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many, exactly or about."""

    value: int
    approximate: bool = False


@contextmanager
def within(milliseconds: int) -> Iterator[None]:
    """Cancel the statements inside after so many milliseconds, and raise TooSlow."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('statement_timeout')")
            before = cursor.fetchone()[0]
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(milliseconds)])
            yield
            # an outer transaction goes on with the limit it had
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [before])
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == _CANCELED:
            raise TooSlow from error
        raise


def count(rows: QuerySet[Any], budget: int = BUDGET) -> Count:
    """Count exactly where that is quick, else take the planner's estimate."""
    try:
        with within(budget):
            return Count(rows.count())
    except TooSlow:
        return Count(_estimate(rows), approximate=True)


def _estimate(rows: QuerySet[Any]) -> int:
    plan = json.loads(rows.order_by().values("pk").explain(format="json"))
    return int(plan[0]["Plan"]["Plan Rows"])


def status_counts(matching: DeadLetterFilter, budget: int = BUDGET) -> dict[str, Count]:
    """How many of what matches stand in each status; the filter's own status is left aside."""
    rows = _without_status(matching).queryset()
    try:
        with within(budget):
            found = dict(_grouped_by_status(rows))
        return {status: Count(found.get(status, 0)) for status in DeadLetterStatus.values}
    except TooSlow:
        return {
            status: Count(_estimate(rows.filter(status=status)), approximate=True)
            for status in DeadLetterStatus.values
        }


def _grouped_by_status(rows: QuerySet[DeadLetter]) -> list[tuple[str, int]]:
    return list(rows.order_by().values_list("status").annotate(CountOf("pk")))


def _without_status(matching: DeadLetterFilter) -> DeadLetterFilter:
    return DeadLetterFilter.from_canonical(
        {name: value for name, value in matching.canonical().items() if name != "status"}
    )


def event_types(limit: int = 200) -> list[str]:
    """Every event type, by name."""
    return fetch_column(sql("summaries.event_types"), {"limit": limit})


def queue_names(limit: int = 200) -> list[str]:
    """Queues with a policy, and those of the newest dead letters."""
    return fetch_column(sql("summaries.queue_names"), {"limit": limit})


def burning(limit: int = 8) -> list[dict[str, Any]]:
    """The groups that fail most among the newest dead letters, worst first."""
    rows = fetch_dicts(sql("summaries.burning"), {"newest": NEWEST, "limit": limit})
    return _described(rows)


def groups(limit: int = 100, budget: int = 3 * BUDGET) -> tuple[list[dict[str, Any]], bool]:
    """All groups, those with most failures in a day first; and whether only the newest could be looked at."""
    try:
        with within(budget):
            rows = fetch_dicts(sql("summaries.all_groups"), {"limit": limit})
        return _described(rows), False
    except TooSlow:
        return burning(limit), True


def group(group_id: int) -> dict[str, Any] | None:
    """One group with its figures, or None."""
    if not FailureGroup.objects.filter(pk=group_id).exists():
        return None
    return _described([{"id": group_id, "recent": 0}])[0]


def _described(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add to each group's id and recent count what it is, and its figures where they come in time."""
    ids = [row["id"] for row in rows]
    known = FailureGroup.objects.in_bulk(ids)
    figures, hours = _group_figures(ids), _group_hours(ids)
    return [
        {
            **row,
            **_identity(row["id"], known.get(row["id"])),
            **figures[row["id"]],
            "hourly": hours[row["id"]],
        }
        for row in rows
    ]


def _identity(group_id: int, known: FailureGroup | None) -> dict[str, Any]:
    return {
        "title": str(known) if known else f"group {group_id}",
        "event_type": known.event_type if known else "",
        "error_class": known.error_class if known else "",
        "error_category": known.error_category if known else "",
        "message": known.message if known else "",
    }


def _group_figures(ids: list[int]) -> dict[int, dict[str, Any]]:
    try:
        with within(2 * BUDGET):
            rows = fetch_dicts(sql("summaries.group_figures"), {"ids": ids})
    except TooSlow:
        return {group_id: _estimated_figures(group_id) for group_id in ids}
    return {group_id: _figures([row for row in rows if row["id"] == group_id]) for group_id in ids}


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    by_status = {row["status"]: row["count"] for row in rows}
    return {
        "total": sum(by_status.values()),
        "pending": by_status.get(DeadLetterStatus.PENDING, 0),
        "by_status": by_status,
        "first_seen": min((row["first_seen"] for row in rows), default=None),
        "last_seen": max((row["last_seen"] for row in rows), default=None),
        "approximate": False,
    }


def _estimated_figures(group_id: int) -> dict[str, Any]:
    rows = DeadLetter.objects.filter(group_id=group_id)
    pending = _estimate(rows.filter(status=DeadLetterStatus.PENDING))
    return {
        "total": _estimate(rows),
        "pending": pending,
        "by_status": {},
        "first_seen": None,
        "last_seen": None,
        "approximate": True,
    }


def hourly() -> list[dict[str, Any]]:
    """Dead letters of each of the last 24 hours, oldest first: ``start``, ``count``."""
    try:
        with within(BUDGET):
            rows = fetch_dicts(sql("summaries.hours"), {})
    except TooSlow:
        rows = fetch_dicts(sql("summaries.sampled_hours"), {})
    return _every_hour({row["start"]: row["count"] for row in rows})


def is_large() -> bool:
    """Whether counting all dead letters would keep a person waiting."""
    return bool(fetch_column(sql("summaries.large"), {"rows": LARGE})[0])


def _group_hours(ids: list[int]) -> dict[int, list[int]]:
    rows: list[dict[str, Any]] = []
    try:
        with within(BUDGET):
            rows = fetch_dicts(sql("summaries.group_hours"), {"ids": ids})
    except TooSlow:
        pass
    found: dict[int, dict[datetime, int]] = {group_id: {} for group_id in ids}
    for row in rows:
        found[row["id"]][row["start"]] = row["count"]
    last = _this_hour()
    return {group_id: [hour["count"] for hour in _every_hour(of, last)] for group_id, of in found.items()}


def _every_hour(found: Mapping[datetime, int], last: datetime | None = None) -> list[dict[str, Any]]:
    last = last or _this_hour()
    starts = [last - timedelta(hours=back) for back in range(23, -1, -1)]
    return [{"start": start, "count": found.get(start, 0)} for start in starts]


def _this_hour() -> datetime:
    start: datetime = fetch_column(sql("summaries.this_hour"), {})[0]
    return start
