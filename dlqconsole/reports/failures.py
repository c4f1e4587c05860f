"""What failed, when and why: a line for each day and failure group, counted up to this moment.

The numbers are those of the counts that triggers keep, so that each is the number of its list. Of a day that
lost events since its report was computed, the report's lines stay: the counts no longer know them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import orjson

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.counts import groups, recoveries, rollups
from dlqconsole.engine.counts.summaries import DAY, trend_rows
from dlqconsole.processing.inputs.sentences import Sentence, gettext_noop
from dlqconsole.processing.reports import FAILURES
from dlqconsole.reports import daily, open_days
from dlqconsole.reports.daily import MOST_ROWS, Days
from dlqconsole.reports.models import Report, ReportRow
from dlqconsole.reports.open_days import DayMark
from dlqconsole.reports.sql import sql

TITLE = Sentence("What failed, when and why")
ABOUT = Sentence(
    "Failures by day, type, category and reason; how they ended, by which action, and after how long"
)
# shown by default, and at most
WEEK, MOST_DAYS = 7, 92
# as the list's filter
_EARLIEST, _LATEST = date(2000, 6, 1), date(2099, 6, 1)
# a file says of so many lines what healed them, and how long that took
MOST_RECOVERIES = 2_000
_AT_ONCE = 100
# the headings of its figures on pages, for translators
HEADINGS = (
    gettext_noop("Failures"), gettext_noop("Share of failures"), gettext_noop("Healed"),
    gettext_noop("Discarded"), gettext_noop("Still open"), gettext_noop("Median time to recover"),
    gettext_noop("P90 time to recover"), gettext_noop("Event type"), gettext_noop("Category"),
    gettext_noop("Reason"), gettext_noop("Group"),
)  # fmt: skip
_METRICS = {
    "failures": "count",
    "share_of_failures": "share",
    "healed": "count",
    "discarded": "count",
    "still_open": "count",
    "median_time_to_recover": "duration",
    "p90_time_to_recover": "duration",
}
_ENDS = {"healed": DeadLetterStatus.SUCCEEDED, "discarded": DeadLetterStatus.DISCARDED}


@dataclass(frozen=True, slots=True)
class FailedDays:
    """The rows of some days, newest day first and most failures first, as a daily report has them.

    ``marks``: what is known of days that lost events; ``kept``: those of them with the rows of their report.
    ``is_least``: some could not be counted in time, so there are more.
    """

    rows: list[ReportRow]
    marks: dict[date, DayMark]
    is_least: bool = False
    kept: set[date] = field(default_factory=set)

    def matching(self, key: str) -> list[ReportRow]:
        """Return the rows with this event type, category, reason or queue; all of them without one."""
        return [row for row in self.rows if key in _keys(row)] if key else self.rows

    def values(self) -> dict[str, list[str]]:
        """Return the values of each key, to choose from."""
        values = {name: {row.key[name] for row in self.rows} for name in ("category", "reason")}
        values["event_type"] = {name for row in self.rows for name in types(row)}
        return {name: sorted(of_key - {""}) for name, of_key in values.items()}


def types(row: ReportRow) -> list[str]:
    """Return a row's event types: a group that others were merged into may have several."""
    return row.figures.get("types") or [row.key["event_type"]]


def declared() -> Report:
    """Return the report as the page and its files show it, computed or not."""
    report = Report.objects.filter(pk=FAILURES).first() or Report(pk=FAILURES, updated_at=None)
    report.title, report.day_of, report.timezone = TITLE, "created_at", "UTC"
    report.keys = ["event_type", "reason", "category", "group", "queue"]
    report.metrics = [[name, kind] for name, kind in _METRICS.items()]
    return report


def period(today: date, since: date | None = None, until: date | None = None) -> Days:
    """Return the days from ``since`` to ``until``: by default a week up to today, at most 92 days."""
    since, until = (day and min(max(day, _EARLIEST), _LATEST) for day in (since, until))
    last = until or max(since or today, today)
    first = max(since or last - timedelta(days=WEEK - 1), last - timedelta(days=MOST_DAYS - 1))
    return Days(first, last, first, last)


def failed_days(report: Report, days: Days) -> FailedDays:
    """Count these days."""
    marks = open_days.with_losses(report, days)
    kept = {day for day, mark in marks.items() if mark.is_kept}
    counted, is_least = _counted(report, days, kept)
    stored = [row for row in daily.rows(report, days) if row.day in kept] if kept else []
    rows = sorted([*counted, *stored], key=lambda row: (-row.day.toordinal(), -row.figures["failures"]))
    return FailedDays(rows, marks, is_least, kept)


def with_recoveries(rows: Sequence[ReportRow], kept: Collection[date] = ()) -> Sequence[ReportRow]:
    """Add to counted rows how the newest of them healed, and how long that took."""
    counted = [row for row in rows[:MOST_RECOVERIES] if row.figures.get("healed") and row.day not in kept]
    for place in range(0, len(counted), _AT_ONCE):
        part = counted[place : place + _AT_ONCE]
        for row, recovery in zip(part, recoveries.of_spans([_span(row) for row in part]), strict=True):
            row.figures |= _recovery(recovery)
    return rows


def hours(rows: Iterable[ReportRow], days: Days) -> dict[tuple[date, int], list[int]]:
    """Return the dead letters of each hour of a day's group: 24 numbers."""
    values = _span_values(days) | {"groups": [int(row.key["group"]) for row in rows]}
    found, _is_least = trend_rows(sql("failures.hours"), values, _back(days))
    counts: dict[tuple[date, int], list[int]] = {}
    for row in found:
        of_day = counts.setdefault((row["day"], row["group_id"]), [0] * DAY)
        of_day[row["hour"]] += row["letters"]
    return counts


def _counted(report: Report, days: Days, without: Collection[date]) -> tuple[list[ReportRow], bool]:
    rollups.fold_when_many()
    query = sql("failures.lines").replace("{totals}", rollups.totals())
    found, is_least = trend_rows(query, _span_values(days) | {"limit": MOST_ROWS}, _back(days))
    names = groups.identities([row["group_id"] for row in found])
    rows = [_row(report, row, names[row["group_id"]]) for row in found if row["day"] not in without]
    return rows, is_least


def _row(report: Report, found: dict[str, Any], name: dict[str, Any]) -> ReportRow:
    by_status: dict[str, int] = orjson.loads(found["by_status"])
    ended = {figure: by_status.get(status, 0) for figure, status in _ENDS.items()}
    key = {
        "event_type": ", ".join(found["types"]),
        "reason": name["error_class"] or name["message"],
        "category": found["categories"][0] if len(found["categories"]) == 1 else "",
        "group": str(found["group_id"]),
        "queue": ", ".join(found["queues"]),
    }
    figures = {
        "failures": found["failures"],
        "share_of_failures": found["share"],
        **ended,
        "still_open": found["failures"] - sum(ended.values()),
        "by_status": by_status,
        "types": found["types"],
    }
    return ReportRow(report=report, day=found["day"], key=key, figures=figures)


def _keys(row: ReportRow) -> set[str]:
    return {*row.key.values(), *types(row)}


def _recovery(recovery: dict[str, Any] | None) -> dict[str, Any]:
    if recovery is None:
        return {}
    median, p90 = recovery["took"]
    return recovery | {"median_time_to_recover": median, "p90_time_to_recover": p90}


def _span(row: ReportRow) -> recoveries.Span:
    return int(row.key["group"]), _midnight(row.day), _midnight(row.day + timedelta(days=1))


def _span_values(days: Days) -> dict[str, Any]:
    assert days.since  # noqa: S101 - ``period`` made them
    assert days.until  # noqa: S101
    return {"since": _midnight(days.since), "until": _midnight(days.until + timedelta(days=1))}


def _back(days: Days) -> int:
    """Return the hours up to now in which these days lie."""
    age = datetime.now(UTC) - _span_values(days)["since"]
    return max(DAY, int(age / timedelta(hours=1)) + 2)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
