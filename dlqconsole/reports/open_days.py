"""The open days of a report: not computed yet, or events came or changed since."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.reports.daily import Days
from dlqconsole.reports.models import Report
from dlqconsole.reports.sql import sql

MOST_SHOWN = 14


@dataclass(frozen=True, slots=True)
class DayMark:
    """A day of a report: its computation, the events that came late or were lost since, and if it is over."""

    day: date
    late: int
    lost: int
    computed_at: datetime | None
    kept_at: datetime | None
    is_over: bool
    was_computed_after_it: bool

    @property
    def is_open(self) -> bool:
        """Tell whether the next run computes it."""
        return self.late != 0 and self.is_over and not self.is_kept

    @property
    def is_kept(self) -> bool:
        """Tell whether its figures stay: they count all its events, and some of these are gone now."""
        return self.was_computed_after_it and self.lost > 0


@dataclass(frozen=True, slots=True)
class OpenDays:
    """The open days of a report. ``marks``: those to show, newest day first; ``open``: the number of all."""

    marks: Sequence[DayMark]
    open: int
    computed_at: datetime | None


def of_report(report: Report, period: Days | None = None) -> OpenDays:
    """Return the open days of a report, within ``period`` or of all."""
    marks = list(_marks(report, period))
    notable = [mark for mark in marks if mark.is_open or mark.kept_at]
    computed_at = max((mark.computed_at for mark in marks if mark.computed_at), default=report.updated_at)
    return OpenDays(notable[::-1][:MOST_SHOWN], sum(mark.is_open for mark in marks), computed_at)


def with_losses(report: Report, period: Days) -> dict[date, DayMark]:
    """Return the days of a report that lost events since they were computed."""
    return {mark.day: mark for mark in _marks(report, period) if mark.lost > 0}


def _zone(name: str) -> tzinfo:
    """Return the time zone; UTC where this machine does not know it: the pipeline's machine may."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def _marks(report: Report, period: Days | None) -> Iterator[DayMark]:
    zone = _zone(report.timezone)
    today = timezone.now().astimezone(zone).date()
    values = {"name": report.name, "since": period and period.since, "until": period and period.until}
    for row in fetch_dicts(sql("daily.marks"), values):
        day, computed_at = row["day"], row["computed_at"]
        is_whole = computed_at is not None and computed_at.astimezone(zone).date() > day
        yield DayMark(**row, is_over=day < today, was_computed_after_it=is_whole)
