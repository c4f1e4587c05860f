"""The moments of a report's days: plain arithmetic."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from dlqconsole.processing.reports import DailyReport

_DAY = timedelta(days=1)
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A time from one moment to another, in UTC; the second is not in it."""

    since: datetime
    until: datetime

    def meets(self, other: "Span") -> bool:
        """Tell whether a moment may be in both."""
        return self.since < other.until and other.since < self.until


def span_of(report: DailyReport, day: date) -> Span:
    """Return when the events of this day may have occurred: the report's own day, and its margin."""
    try:
        return Span(_midnight(report, day) - report.margin, _midnight(report, day + _DAY) + report.margin)
    except OverflowError:  # at an end of the calendar, where nothing happens
        return Span(_NEVER, _NEVER)


def spans_of(days: Iterable[tuple[DailyReport, date]]) -> list[Span]:
    """All that must be read for these days of these reports, each moment once, in order."""
    spans: list[Span] = []
    for span in sorted(span_of(report, day) for report, day in days):
        if spans and span.since <= spans[-1].until:
            spans[-1] = Span(spans[-1].since, max(spans[-1].until, span.until))
        else:
            spans.append(span)
    return spans


def strays(report: DailyReport, days: Iterable[date], read: Sequence[Span]) -> list[date]:
    """Return days of the result on which no event that was read may count: the report declares too little."""
    return sorted(day for day in set(days) if not any(span_of(report, day).meets(span) for span in read))


def today(report: DailyReport) -> date:
    """The day that is not over yet where the report is at home."""
    return datetime.now(ZoneInfo(report.timezone)).date()


def _midnight(report: DailyReport, day: date) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(report.timezone)).astimezone(UTC)
