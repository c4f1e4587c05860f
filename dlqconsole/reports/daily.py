"""The daily reports for people: their days, rows, column headings and figures in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Max, Min, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.utils.translation import gettext as _

from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.moments import duration_in_two
from dlqconsole.reports.models import Report, ReportRow

DAYS = 30  # the newest days, shown by default
MOST_ROWS = 20_000
MOST_VALUES = 200  # with more values a key is typed, not chosen
# a failure group's number tells nobody anything
NUMBERED = "group"
_ADDED_UP = ("count", "sum")
_TENTHS = ("mean", "median", "p90", "p95", "p99")


@dataclass(frozen=True, slots=True)
class Days:
    """The days to show, both ends included, and the first and last that have rows; None: no row."""

    since: date | None
    until: date | None
    first: date | None
    last: date | None


def days(report: Report, since: date | None = None, until: date | None = None) -> Days:
    """Return the days between ``since`` and ``until``; by default the newest thirty that have rows."""
    ends = _rows(report).aggregate(first=Min("day"), last=Max("day"))
    first, last = ends["first"], ends["last"]
    if since is None and until is None and last:
        since = max(first, last - timedelta(days=DAYS - 1))
    return Days(since or first, until or last, first, last)


def rows(report: Report, period: Days, key: str = "") -> list[ReportRow]:
    """The rows of these days, newest day first; ``key`` is any of the key's values."""
    matching = _of_days(report, period)
    if key and report.keys:
        # as text: a key may be a number
        texts = {f"key_{place}": KeyTextTransform(name, "key") for place, name in enumerate(report.keys)}
        matching = matching.annotate(**texts).filter(reduce(or_, (Q(**{text: key}) for text in texts)))
    return list(matching.order_by("-day", "key")[:MOST_ROWS])


def key_values(report: Report, period: Days) -> dict[str, list[str]] | None:
    """The values of each key within these days; None where they are too many to choose from."""
    values_of: dict[str, list[str]] = {}
    for name in report.keys:
        if name == NUMBERED:
            continue
        text = KeyTextTransform(name, "key")
        values = _of_days(report, period).order_by().values_list(text, flat=True).distinct()
        values_of[name] = sorted(str(value) for value in values[: MOST_VALUES + 1] if value is not None)
    return None if any(len(values) > MOST_VALUES for values in values_of.values()) else values_of


def is_seen(report: Report) -> bool:
    """Tell whether any row of a report lies within the scope."""
    return not current_access().is_limited or _rows(report).exists()


def _rows(report: Report) -> QuerySet[ReportRow]:
    """The rows within the scope: a row belongs to the queue and event type in its key, or to all."""
    access = current_access()
    rows = ReportRow.objects.filter(report=report)
    if not access.is_limited:
        return rows
    text = access.columns("(report_rows.key ->> 'queue')", "(report_rows.key ->> 'event_type')")
    return rows.filter(access.condition(text))


def _of_days(report: Report, period: Days) -> QuerySet[ReportRow]:
    rows = _rows(report)
    return rows.filter(day__gte=period.since, day__lte=period.until) if period.since else rows.none()


def words(name: str, kind: str = "") -> str:
    """A column's heading: ``mean_arrival_delay`` is Mean arrival delay, ``on_time_share`` On-time share."""
    parts = name.replace("_", " ").split()
    if kind == "share" and len(parts) > 1 and parts[-1] == "share":
        parts = ["-".join(parts[:-1]), "share"]
    text = " ".join(parts)
    return text[:1].upper() + text[1:]


def heading_of(name: str, kind: str = "") -> str:
    """The heading on a page, in its reader's language as far as it is one of ours."""
    return _(words(name, kind))


def is_added_up(report: Report, metric: str) -> bool:
    """Tell whether the figures of several keys may be added up."""
    return report.kinds.get(metric) in _ADDED_UP


def figure(value: Any, kind: str) -> str:
    """A figure as people read it: 1,234 or 94.4 % or -13.1 or 3 h 12 min."""
    if value is None:
        return "—"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if kind == "share":
        return f"{value * 100:.1f}\u00a0%"
    if kind == "duration":
        return duration_in_two(value) if value >= 1 or not value else _("{value:.1f} s").format(value=value)
    is_whole = kind not in _TENTHS and float(value).is_integer()
    # whole numbers may have more digits than a float; adding zero takes the sign from a mean that is -0.0
    return f"{int(value):,}" if is_whole else f"{round(value, 1) + 0.0:,.1f}"


def cells(report: Report, row: ReportRow) -> list[str]:
    """One row's keys and figures, in the order of the columns behind the day."""
    keys = [str(row.key.get(name, "")) for name in report.keys]
    return [*keys, *(figure(row.figures.get(name), kind) for name, kind in report.kinds.items())]
