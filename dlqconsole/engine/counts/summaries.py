"""Figures for people to look at: counts, groups, trends.

Most counts are kept (see ``engine.rollups``). For the rest a page never waits: what does not answer within
its time budget is estimated, and says so.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Count as CountOf
from django.db.models import Q, QuerySet

from dlqconsole.engine.counts import rollups, trend
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.reach import Reach
from dlqconsole.engine.sql import sql

BUDGET = 500  # milliseconds a count may take
DAY = 24  # hours
_CANCELED = "57014"


class TooSlow(Exception):
    """A question took longer than its time budget."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many, exactly or about; ``unhandled``: so many of them no worker has a handler for."""

    value: int
    approximate: bool = False
    unhandled: int = 0

    def __str__(self) -> str:
        """As every page says it: ``1,320``, ``≈ 446``."""
        return f"≈ {self.value:,}" if self.approximate else f"{self.value:,}"

    def at_least(self, seen: int) -> Count:
        """The same, where so many have been seen: no estimate says less."""
        return Count(max(self.value, seen), approximate=True) if self.approximate else self


@contextmanager
def time_budget(milliseconds: int) -> Iterator[None]:
    """Cancel the statements inside after so many milliseconds, and raise TooSlow."""
    is_inside_another = connection.in_atomic_block
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql("summaries.set_time_limit"), {"limit": str(milliseconds)})
            before = cursor.fetchone()[0]
            yield
            if is_inside_another:  # which goes on with the limit it had
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [before])
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == _CANCELED:
            raise TooSlow from error
        raise


def count(rows: QuerySet[Any], budget: int = BUDGET) -> Count:
    """Count exactly where that is quick, else take the planner's estimate."""
    try:
        with time_budget(budget):
            return Count(rows.count())
    except TooSlow:
        return Count(_estimate(rows), approximate=True)


def _estimate(rows: QuerySet[Any]) -> int:
    plan = json.loads(rows.order_by().values("pk").explain(format="json"))
    return int(plan[0]["Plan"]["Plan Rows"])


def count_matching(matching: DeadLetterFilter, reach: Reach, budget: int = BUDGET) -> Count:
    """How many dead letters a filter matches: at once and exactly where that is kept counted."""
    if rollups.covers(matching):
        return Count(sum(rollups.by_status(matching, reach).values()))
    return count(matching.queryset(reach), budget)


def not_searched(matching: DeadLetterFilter, reach: Reach, budget: int = BUDGET) -> Count:
    """How many more a filter may mean, of which nobody has looked at the texts yet."""
    return count(matching.unsearched(reach), budget) if matching.is_search else Count(0)


def not_searched_words(number: Count) -> str:
    """Why a search finds so many not; empty where that is none."""
    if not number.value:
        return ""
    are = "is" if number.value == 1 else "are"
    return (
        f"{number} more {are} so new that no worker has looked at the texts yet: no search finds what is in"
        " them. Ask again in a moment."
    )


def status_counts(
    matching: DeadLetterFilter,
    reach: Reach,
    budget: int = BUDGET,
    event_types: Collection[str] | None = None,
) -> dict[str, Count]:
    """How many of what matches stand in each status; the filter's own status is left aside.

    ``event_types`` have a handler; what has none is not counted where they are not given.
    """
    matching = _without_status(matching)
    if rollups.covers(matching):
        rollups.fold_when_many()
        counted = rollups.by_status(matching, reach)
        lacking = {} if event_types is None else rollups.unhandled(matching, reach, event_types)
        return _counts(counted, lacking)
    rows = matching.queryset(reach)
    try:
        with time_budget(budget):
            found = _grouped_by_status(rows, event_types)
        return _counts({row[0]: row[1] for row in found}, {row[0]: row[2] for row in found})
    except TooSlow:
        return {
            status: Count(_estimate(rows.filter(status=status)), approximate=True)
            for status in DeadLetterStatus.values
        }


def _counts(found: Mapping[str, int], lacking: Mapping[str, int]) -> dict[str, Count]:
    return {
        status: Count(found.get(status, 0), unhandled=lacking.get(status, 0))
        for status in DeadLetterStatus.values
    }


def _grouped_by_status(
    rows: QuerySet[DeadLetter], event_types: Collection[str] | None
) -> list[tuple[str, int, int]]:
    """Status, how many, and how many of other types than these."""
    other = Q(pk=None) if event_types is None else ~Q(event_type__in=event_types)
    counts = rows.order_by().values_list("status")
    return list(counts.annotate(number=CountOf("pk"), lacking=CountOf("pk", filter=other)))


def _without_status(matching: DeadLetterFilter) -> DeadLetterFilter:
    return DeadLetterFilter.from_canonical(
        {name: value for name, value in matching.canonical().items() if name != "status"}
    )


def event_types(reach: Reach, limit: int = 200) -> list[str]:
    """Every event type, by name."""
    if not reach.is_limited:
        return fetch_column(sql("summaries.event_types"), {"limit": limit})
    text = sql("summaries.event_types_within").format(counted=reach.columns("queue", "event_type"))
    return fetch_column(text, {"limit": limit} | reach.values())


def queue_names(reach: Reach, limit: int = 200) -> list[str]:
    """Queues with a policy, and those of dead letters."""
    text = sql("summaries.queue_names").format(
        queues=reach.columns("name", "NULL"), counted=reach.columns("queue", "event_type")
    )
    return fetch_column(text, {"limit": limit} | reach.values())


def hourly(reach: Reach) -> list[dict[str, Any]]:
    """Dead letters of each of the last 24 hours, oldest first: ``start``, ``count``.

    ``about``: some could not be counted in time, so there are more.
    """
    rows, about = trend_rows(sql("summaries.hours"), {}, reach, DAY)
    found = every_hour({row["start"]: row["count"] for row in rows}, this_hour())
    return [hour | {"about": about} for hour in found]


def trend_rows(
    query: str, values: Mapping[str, Any], reach: Reach, hours: int
) -> tuple[list[dict[str, Any]], bool]:
    """Run a query on the ``{trend}`` somebody sees; and whether there is more than could be counted."""
    given = reach.values() | dict(values)
    if not reach.is_limited:
        return fetch_dicts(query.replace("{trend}", trend.hours(reach, hours)), given), False
    try:
        with time_budget(BUDGET):
            return fetch_dicts(query.replace("{trend}", trend.hours(reach, hours)), given), False
    except TooSlow:
        return fetch_dicts(query.replace("{trend}", trend.hours(reach, hours, parts=False)), given), True


def every_hour(found: Mapping[datetime, int], last: datetime, hours: int = 24) -> list[dict[str, Any]]:
    """The counts of so many hours up to the last one, oldest first; 0 where there is none."""
    starts = [last - timedelta(hours=back) for back in range(hours - 1, -1, -1)]
    return [{"start": start, "count": found.get(start, 0)} for start in starts]


def this_hour() -> datetime:
    """When this hour began, by the database's clock."""
    start: datetime = fetch_column(sql("summaries.this_hour"), {})[0]
    return start
