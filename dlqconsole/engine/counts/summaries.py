"""Figures for people to look at: counts, groups, trends.

Most counts are kept (see ``engine.rollups``). A page never waits for the rest: a query beyond its time
budget has no answer, and the page says so. Nothing is estimated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import OperationalError
from django.db.models import Count as CountOf
from django.db.models import Q, QuerySet

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.language.tree import Value
from dlqconsole.engine.dead_letters.searching import Meaning
from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import connection, transaction

BUDGET = 500  # milliseconds a count may take
DAY = 24  # hours
# a word that groups of so many say is not looked for in other reasons as well: there is no time for it
HOPELESS = 200_000
# the ways to find rows
LOOKUP, WALK = "by_lookup", "by_walk"
_CANCELED = "57014"


class TooSlow(Exception):
    """A question took longer than its time budget."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number of rows. ``is_least``: there may be more, which could not be counted in time.

    ``unhandled``: so many of them no worker has a handler for; ``unrehearsable``: none that can be rehearsed;
    ``coming``: so many failed repeatedly after revivals.
    """

    value: int
    is_least: bool = False
    unhandled: int = 0
    unrehearsable: int = 0
    coming: int = 0

    def __str__(self) -> str:
        """Return the words of every page: ``1,320``, ``446 or more``; where nothing is known, ``some``."""
        if not self.is_least:
            return f"{self.value:,}"
        return f"{self.value:,} or more" if self.value else "some"

    def at_least(self, number: int) -> Count:
        """Return the count, raised to the number already seen where it is not exact."""
        return Count(max(self.value, number), is_least=True) if self.is_least else self

    def plus(self, other: Count) -> Count:
        """Return the sum of both."""
        return Count(
            self.value + other.value,
            self.is_least or other.is_least,
            self.unhandled + other.unhandled,
            self.unrehearsable + other.unrehearsable,
            self.coming + other.coming,
        )


@contextmanager
def time_budget(milliseconds: int, by: str = "") -> Iterator[None]:
    """Cancel the statements inside after so many milliseconds, and raise TooSlow.

    ``by``: how rows are found; LOOKUP, by what an index knows of those that are asked for; WALK, from the
    newest on; else as the planner believes.
    """
    is_inside_another = connection.in_atomic_block
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql("summaries.set_time_limit"), {"limit": str(milliseconds)})
            before = cursor.fetchone()[0]
            if by:
                cursor.execute(sql(f"summaries.{by}"))
            yield
            if is_inside_another:  # which goes on with the limit it had
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [before])
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == _CANCELED:
            raise TooSlow from error
        raise


def count(rows: QuerySet[Any], budget: int = BUDGET) -> Count:
    """Count the rows if that is quick; else Count(0), with ``is_least``."""
    try:
        with time_budget(budget):
            return Count(rows.count())
    except TooSlow:
        return Count(0, is_least=True)


def count_matching(matching: DeadLetterFilter, budget: int = BUDGET) -> Count:
    """Count the dead letters that match a filter: at once and exactly where counts are kept."""
    if rollups.covers(matching):
        return Count(sum(rollups.by_status(matching).values()))
    meaning = _kept_in_part(matching)
    if meaning is None:
        return count(matching.queryset(), budget)
    exact = Count(sum(rollups.by_status(matching, meaning).values()))
    return exact if meaning.others is None else exact.plus(count(matching.beyond(meaning), budget))


def _kept_in_part(matching: DeadLetterFilter) -> Meaning | None:
    """Return the meaning of a filter's text, if counts are kept of its groups and types; else None."""
    return matching.one_text() if rollups.covers_beside(matching) else None


def status_counts(
    matching: DeadLetterFilter, budget: int = BUDGET, handlers: HandlerSet | None = None
) -> dict[str, Count]:
    """Count matching dead letters by status; the filter's own status is left aside.

    ``handlers``: who handles what; what nobody handles is not counted where it is not given.
    """
    matching = matching.with_status("")
    if rollups.covers(matching):
        rollups.fold_when_many()
        return _counts(rollups.by_handling(matching, handlers))
    meaning = _kept_in_part(matching)
    if meaning is None:
        return counts_of(matching.queryset(), budget, handlers)
    rows = rollups.by_handling(matching, handlers, meaning)
    is_hopeless = current_access().searches_values and sum(row["letters"] for row in rows) > HOPELESS
    counts = _counts(rows, is_least=is_hopeless)
    if is_hopeless or meaning.others is None:
        return counts
    others = counts_of(matching.beyond(meaning), budget, handlers)
    return {status: counts[status].plus(others[status]) for status in DeadLetterStatus}


def counts_of(
    letters: QuerySet[DeadLetter], budget: int, handlers: HandlerSet | None, *, is_least: bool = False
) -> dict[str, Count]:
    """Count any dead letters by status, one by one. ``is_least``: they are not all that is meant."""
    try:
        with time_budget(budget):
            return _counts(_grouped_by_status(letters, handlers), is_least=is_least)
    except TooSlow:
        return _counts([], is_least=True)


def _counts(rows: Iterable[Mapping[str, Any]], *, is_least: bool = False) -> dict[str, Count]:
    by_status = {
        row["status"]: Count(
            row["letters"],
            is_least,
            unhandled=row["unhandled"],
            unrehearsable=row["unrehearsable"],
            coming=row["coming"],
        )
        for row in rows
    }
    return {status: by_status.get(status, Count(0, is_least)) for status in DeadLetterStatus}


def _grouped_by_status(rows: QuerySet[DeadLetter], types: HandlerSet | None) -> Iterable[Mapping[str, Any]]:
    """Count one by one what ``rollups.by_handling`` finds."""
    nothing = Q(pk=None)
    return (
        rows.order_by()
        .values("status")
        .annotate(
            letters=CountOf("pk"),
            unhandled=CountOf("pk", filter=~Q(event_type__in=types.event_types) if types else nothing),
            unrehearsable=CountOf("pk", filter=~Q(event_type__in=types.rehearsable) if types else nothing),
            coming=CountOf("pk", filter=Q(come_backs.keeps_coming())),
        )
    )


def event_types(limit: int = 200) -> list[str]:
    """Return every event type, by name."""
    access = current_access()
    if not access.is_limited:
        return fetch_column(sql("summaries.event_types"), {"limit": limit})
    text = sql("summaries.event_types_within").format(counted=access.columns("queue", "event_type"))
    return fetch_column(text, {"limit": limit} | access.values())


def queue_names(limit: int = 200, text: str = "") -> list[str]:
    """Return queues with a policy, and those of dead letters, that have a text in their name."""
    access = current_access()
    query = sql("summaries.queue_names").format(
        queues=access.columns("name", "NULL"), counted=access.columns("queue", "event_type")
    )
    return fetch_column(query, {"limit": limit, "like": Value(("", text, "")).like()} | access.values())


def trend_rows(query: str, values: Mapping[str, Any], hours: int) -> tuple[list[dict[str, Any]], bool]:
    """Run a query on the ``{trend}`` within the scope; True: there is more than could be counted in time."""
    access = current_access()
    parameters = access.values() | dict(values)
    if not access.is_limited:
        return fetch_dicts(query.replace("{trend}", rollups.hours(hours)), parameters), False
    try:
        with time_budget(BUDGET):
            return fetch_dicts(query.replace("{trend}", rollups.hours(hours)), parameters), False
    except TooSlow:
        return fetch_dicts(query.replace("{trend}", rollups.hours(hours, parts=False)), parameters), True


def every_hour(counts: Mapping[datetime, int], last: datetime, hours: int = 24) -> list[dict[str, Any]]:
    """Return the counts of so many hours up to the last one, oldest first; 0 where there is none."""
    starts = [last - timedelta(hours=back) for back in range(hours - 1, -1, -1)]
    return [{"start": start, "count": counts.get(start, 0)} for start in starts]


def this_hour() -> datetime:
    """Return the beginning of this hour, by the database's clock."""
    start: datetime = fetch_column(sql("summaries.this_hour"), {})[0]
    return start
