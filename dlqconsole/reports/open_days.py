"""Which days of a report are open: not computed yet, or something came or changed since."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone

from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.reports.daily import Days
from dlqconsole.reports.models import Report
from dlqconsole.reports.sql import sql

MOST_SHOWN = 14


@dataclass(frozen=True, slots=True)
class Mark:
    """A day: when it was computed; what came (``late``) or went (``lost``) since; whether it is over."""

    day: date
    late: int
    lost: int
    computed_at: datetime | None
    kept_at: datetime | None
    is_over: bool
    was_computed_after_it: bool

    @property
    def is_open(self) -> bool:
        """Whether the next run computes it."""
        return self.late != 0 and self.is_over and not self.is_kept

    @property
    def is_kept(self) -> bool:
        """Whether it stays as it is: some of its events are gone, and it has figures of all of them."""
        return self.was_computed_after_it and self.lost > 0


@dataclass(frozen=True, slots=True)
class Standing:
    """How a report stands. ``marks``: newest day first, those that somebody should know of; ``open``: all."""

    marks: Sequence[Mark]
    open: int
    computed_at: datetime | None


def standing(report: Report, shown: Days | None = None) -> Standing:
    """What is open of a report's days, of those that are shown or of all."""
    marks = list(_marks(report, shown))
    told = [mark for mark in marks if mark.is_open or mark.kept_at]
    computed = max((mark.computed_at for mark in marks if mark.computed_at), default=report.updated_at)
    return Standing(told[::-1][:MOST_SHOWN], sum(mark.is_open for mark in marks), computed)


def _zone(name: str) -> tzinfo:
    """UTC for one that this machine does not know: the pipeline's may know more."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def _marks(report: Report, shown: Days | None) -> Iterator[Mark]:
    zone = _zone(report.timezone)
    today = timezone.now().astimezone(zone).date()
    values = {"name": report.name, "since": shown and shown.since, "until": shown and shown.until}
    for row in fetch_dicts(sql("daily.marks"), values):
        day, computed_at = row["day"], row["computed_at"]
        is_whole = computed_at is not None and computed_at.astimezone(zone).date() > day
        yield Mark(**row, is_over=day < today, was_computed_after_it=is_whole)
