"""The dead letters of each bucket of time, from five minutes to a week, up to this moment."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts.summaries import BUDGET, TooSlow, time_budget, trend_rows
from dlqconsole.engine.sql import sql
from dlqconsole.processing.inputs.sentences import gettext_noop

_HOUR = timedelta(hours=1)
# a Monday: weeks begin there, and all shorter buckets at a whole number of them
ORIGIN = datetime(1970, 1, 5, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Bucket:
    """A length of time that a chart's bars stand for, and how many of them it shows."""

    name: str
    words: str
    length: timedelta
    number: int

    @property
    def span(self) -> timedelta:
        """The time that the chart shows."""
        return self.length * self.number

    @property
    def is_of_a_clock(self) -> bool:
        """Tell whether it is told by the viewer's clock; days and weeks are those of UTC."""
        return self.length < timedelta(days=1)


BUCKETS = {
    bucket.name: bucket
    for bucket in (
        Bucket("5m", gettext_noop("5 min"), timedelta(minutes=5), 24),
        Bucket("1h", gettext_noop("hour"), _HOUR, 24),
        Bucket("6h", gettext_noop("6 h"), 6 * _HOUR, 28),
        Bucket("1d", gettext_noop("day"), 24 * _HOUR, 30),
        Bucket("1w", gettext_noop("week"), 168 * _HOUR, 26),
    )
}
USUAL = BUCKETS["1h"]


def counts(bucket: Bucket = USUAL) -> list[dict[str, Any]]:
    """Count the dead letters of each bucket up to now, oldest first: ``start``, ``end``, ``count``.

    ``about``: some could not be counted in time, so there are more.
    """
    last = _beginning(bucket, fetch_column(sql("buckets.clock"), {})[0])
    starts = [last - bucket.length * back for back in range(bucket.number - 1, -1, -1)]
    values = {"length": bucket.length, "origin": ORIGIN, "since": starts[0]}
    rows, about = _rows(bucket, values)
    numbers = {row["start"]: row["count"] for row in rows}
    return [
        {"start": start, "end": start + bucket.length, "count": numbers.get(start, 0), "about": about}
        for start in starts
    ]


def _rows(bucket: Bucket, values: dict[str, Any]) -> tuple[list[dict[str, Any]], bool]:
    """Add up hours, which are kept; what is shorter is counted one by one."""
    if bucket.length >= _HOUR:
        return trend_rows(sql("buckets.of_hours"), values, bucket.span // _HOUR)
    access = current_access()
    try:
        with time_budget(BUDGET):
            text = sql("buckets.one_by_one").format(letters=access.letters("d"))
            return fetch_dicts(text, values | access.values()), False
    except TooSlow:
        return [], True


def _beginning(bucket: Bucket, moment: datetime) -> datetime:
    return moment - (moment - ORIGIN) % bucket.length
