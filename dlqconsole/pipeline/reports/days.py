"""The days of a report that are computed, and what was known at the moment that they are computed from.

Whatever comes or changes leaves a mark on its hour, in its own transaction. A day whose marks are others than
those that it was computed with is open: it was never computed, or something came late.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import psycopg

from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.reports import DailyReport

_DAY = timedelta(days=1)
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A request: some days; or those that are open and over; or, with neither, all."""

    days: tuple[date, ...] = ()
    open: bool = False

    def words(self) -> str:
        """Return its words for the run."""
        return ", ".join(map(str, self.days)) or (stored("open days") if self.open else stored("all days"))


@dataclass(frozen=True, slots=True)
class SnapshotMark:
    """A day of a report in one snapshot. `late`, `losses`: what came or changed, and went, since then."""

    day: date
    changes: int
    removals: int
    late: int
    losses: int
    was_computed_after_it: bool


@dataclass(frozen=True, slots=True)
class ReportPlan:
    """The work on one report. `days`: None for all there are; `kept_days`: days that stay as they are."""

    days: tuple[date, ...] | None
    kept_days: tuple[date, ...] = ()
    marks: Mapping[date, SnapshotMark] = field(default_factory=dict)
    changes: int = 0

    @property
    def is_idle(self) -> bool:
        """Tell whether there is nothing to compute."""
        return self.days == ()

    def replaces(self, day: date) -> bool:
        """Tell whether this day's rows are written anew."""
        return day not in self.kept_days and (self.days is None or day in self.days)


def announce(connection: psycopg.Connection, reports: Iterable[DailyReport]) -> None:
    """Say what each report's day follows from, before the marks are asked for."""
    for report in reports:
        connection.execute(sql("report.announce"), declaration(report))


def declaration(report: DailyReport) -> dict[str, Any]:
    """A report as its row in the table has it."""
    return {
        "name": report.name,
        "title": report.title,
        "keys": orjson.dumps(report.by).decode(),
        "metrics": orjson.dumps(list(report.metrics.items())).decode(),
        "day_of": report.day_of,
        "timezone": report.timezone,
        "margin": int(report.margin.total_seconds()),
    }


def plan(connection: psycopg.Connection, report: DailyReport, request: ReportRequest) -> ReportPlan:
    """Return what there is to do, in the snapshot of this connection."""
    if not report.day_of:
        return _plan_of_all(connection, report, request)
    rows = connection.execute(sql("report.marks"), {"name": report.name}).fetchall()
    marks = {mark.day: mark for mark in (SnapshotMark(*row) for row in rows)}
    if request.days:
        return ReportPlan(tuple(sorted(set(request.days))), (), marks)
    days_of_interest = _open(report, marks.values()) if request.open else list(marks.values())
    kept_days = tuple(mark.day for mark in days_of_interest if mark.was_computed_after_it and mark.losses)
    days = tuple(mark.day for mark in days_of_interest if mark.day not in kept_days) if request.open else None
    return ReportPlan(days, kept_days, marks)


def _plan_of_all(connection: psycopg.Connection, report: DailyReport, request: ReportRequest) -> ReportPlan:
    """Plan without a day of an event: all days are computed, or those that were asked for."""
    row = connection.execute(sql("report.changes"), {"name": report.name}).fetchone()
    now, before = row or (0, 0)
    if request.days:
        return ReportPlan(tuple(sorted(set(request.days))), changes=before)
    return ReportPlan(() if request.open and now == before else None, changes=now)


def _open(report: DailyReport, marks: Iterable[SnapshotMark]) -> Sequence[SnapshotMark]:
    last = today(report)
    return sorted((mark for mark in marks if mark.late and mark.day < last), key=lambda mark: mark.day)


def note(
    connection: psycopg.Connection, report: DailyReport, plan: ReportPlan, lines: Mapping[date, int]
) -> None:
    """Mark these days as computed from what the plan knew, in the transaction that replaced the rows."""
    days = sorted({*lines, *plan.marks} if plan.days is None else plan.days)
    new_days = [day for day in days if day not in plan.kept_days]
    marks = [plan.marks.get(day) for day in new_days]
    values = {
        "name": report.name,
        "days": new_days,
        "changes": [mark.changes if mark else 0 for mark in marks],
        "removed": [mark.removals if mark else 0 for mark in marks],
        "lines": [lines.get(day, 0) for day in new_days],
    }
    connection.execute(sql("report.computed"), values)
    keep(connection, report, plan)


def keep(connection: psycopg.Connection, report: DailyReport, plan: ReportPlan) -> None:
    """Say of the days that stay as they are that they were looked at."""
    changes = [plan.marks[day].changes for day in plan.kept_days]
    connection.execute(
        sql("report.kept"), {"name": report.name, "days": list(plan.kept_days), "changes": changes}
    )


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
